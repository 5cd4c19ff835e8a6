enum Demo { static func run() async -> Bool { true } }
