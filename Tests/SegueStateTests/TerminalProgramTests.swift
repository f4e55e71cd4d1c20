import Testing

@testable import SegueState

@Suite struct TerminalProgramTests {
  @Test func theUsersChoiceComesFirst() {
    let command = ["segue-shell", "--continued", "x"]
    #expect(TerminalProgram.candidates(command, chosen: "/usr/bin/foot").first == ["/usr/bin/foot"] + command)
    #expect(TerminalProgram.candidates(command, chosen: "mine").first == ["mine", "-e"] + command)
    #expect(TerminalProgram.candidates(command, chosen: "").first == ["xdg-terminal-exec"] + command)
    #expect(TerminalProgram.candidates(command, chosen: nil).contains(["gnome-terminal", "--"] + command))
  }
}
