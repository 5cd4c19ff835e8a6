/// Scripts that complete the command's options in a shell.
package enum Completions {
  package static let shells = ["bash", "zsh", "fish"]
  /// What may follow `completions`.
  package static let topics = shells + ["man"]

  package static func text(for shell: String) -> String {
    switch shell {
    case "zsh": zsh
    case "fish": fish
    case "man": ManualPage.text
    default: bash
    }
  }

  /// Options whose value is the name of a file.
  private static func takesFile(_ option: Option) -> Bool {
    guard let value = option.value else { return false }
    return value.hasPrefix("FILE") || value == "PATH" || value == "DIRECTORY" || value == "DATA|FILE"
  }

  private static var bash: String {
    let names = Option.all.flatMap { option in ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? []) }
    let files = Option.all.filter(takesFile).flatMap { option in
      ["--\(option.long)"] + (option.short.map { ["-\($0)"] } ?? [])
    }
    return """
      # Completion of linnet for bash.
      _linnet() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
        COMPREPLY=()
        case $before in
          \(files.joined(separator: "|")))
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return ;;
          --help|-h)
            mapfile -t COMPREPLY < <(compgen -W '\((["all"] + Option.groups.map(\.topic)).joined(separator: " "))' -- "$word")
            return ;;
          completions)
            mapfile -t COMPREPLY < <(compgen -W '\(topics.joined(separator: " "))' -- "$word")
            return ;;
        esac
        case $word in
          -*) mapfile -t COMPREPLY < <(compgen -W '\(names.joined(separator: " "))' -- "$word") ;;
        esac
      }
      complete -F _linnet linnet

      """
  }

  private static var zsh: String {
    func quoted(_ text: String) -> String {
      text.reduce(into: "") { quoted, character in
        switch character {
        case "'": quoted += "'\\''"
        case "[", "]", ":", "\\": quoted += "\\\(character)"
        default: quoted.append(character)
        }
      }
    }
    let lines = Option.all.flatMap { option -> [String] in
      let value = option.value.map { ":\(quoted($0)):\(takesFile(option) ? "_files" : " ")" } ?? ""
      let names = ["--\(option.long)"] + (option.short.map { ["-\(quoted(String($0)))"] } ?? [])
      return names.map { "  '*\($0)[\(quoted(option.help))]\(value)' \\" }
    }
    return """
      #compdef linnet
      # Completion of linnet for zsh.
      _arguments -s -S \\
      \(lines.joined(separator: "\n"))
        '*:URL:_urls'

      """
  }

  private static var fish: String {
    func quoted(_ text: String) -> String {
      "'" + text.reduce(into: "") { $0 += $1 == "'" || $1 == "\\" ? "\\\($1)" : "\($1)" } + "'"
    }
    let lines = Option.all.map { option in
      let short = option.short.map { " -s \(quoted(String($0)))" } ?? ""
      let value = option.value == nil ? "" : takesFile(option) ? " -r -F" : " -x"
      return "complete -c linnet\(short) -l \(option.long)\(value) -d \(quoted(option.help))"
    }
    return """
      # Completion of linnet for fish.
      complete -c linnet -n __fish_use_subcommand -f -a 'demo completions'
      complete -c linnet -n '__fish_seen_subcommand_from completions' -f -a '\(topics.joined(separator: " "))'
      \(lines.joined(separator: "\n"))

      """
  }
}
