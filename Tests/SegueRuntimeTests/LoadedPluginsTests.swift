import SegueCore
import Testing

@testable import SegueRuntime

@Suite struct LoadedPluginsTests {
  @Test func aPluginIsLoadedOnceAtATime() throws {
    let plugins = LoadedPlugins()
    let id = try #require(PluginID("org.example.one"))
    try plugins.begin(id, "/a.so")
    #expect(throws: SegueError.self) { try plugins.begin(id, "/a.so") }
    // It has failed.
    plugins.end(id, nil)
    try plugins.begin(id, "/a.so")
    #expect(plugins.plugin(id) == nil)
  }
}
