/// An element of the JSON body of the `json` workload.
struct Item: Decodable {
  var id: Int
  var name: String
  var email: String
  var active: Bool
  var score: Double
  var tags: [String]
}
