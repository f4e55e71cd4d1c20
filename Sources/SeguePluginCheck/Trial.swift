import SegueABI
import SegueCore
import SegueRuntime

/// Does with a plugin what applications do, one thing after the other, and reports what does not work.
final class Trial {
  private let path: String
  private let report: Report

  init(of path: String, _ report: Report) {
    self.path = path
    self.report = report
  }

  func run() {
    do throws(SegueError) {
      report.enter("the making of an application")
      guard let appID = AppID("org.segue.PluginCheck"), let type = ActivityType("org.segue.plugin-check") else {
        return
      }
      // No bus: nothing of this is offered to anybody.
      let application = try Application(appID: appID, busAddress: "unix:path=/nonexistent", ownsAppID: false)
      application.delegate.log = { [report] _, line in
        if !Application.isAboutRegistration(line) { report.note(line) }
      }
      let handle = ApplicationHandle(application)
      let plugin = try load(into: application)
      if let plugin {
        for object in plugin.metadata.objects {
          ObjectTrial(of: object, plugin, Activity(application: application, type: type), report).run()
        }
      }
      report.enter("deinit")
      handle.drop()
      if let plugin, report.errors == 0 { report.note("\(plugin.metadata.id.string) works") }
    } catch {
      report.error(error.message, advice: error.advice)
    }
  }

  /// Nil, with errors reported, for one that no application would load.
  private func load(into application: Application) throws(SegueError) -> Plugin? {
    // The folder counts as one that plugins are loaded from: a plugin is checked before it is installed.
    let folder = path.pathParts?.folder ?? ""
    var isTold = false
    let trial = PluginTrial(
      enters: { [report] in report.enter($0) },
      differs: { [report] differences in
        isTold = true
        for difference in differences {
          report.error(
            difference, advice: "Make the table in the code and the file beside the library say the same.")
        }
      },
      returned: { [report] sentence in report.error(sentence, advice: "segue/plugin.h tells it under \"In a call\".") })
    report.enter("the look at its files")
    do throws(SegueError) {
      return try Plugin.load(
        path, into: application, folders: PluginFolders(only: folder), tables: .shared, trial: trial)
    } catch {
      if !isTold { report.error(error.message, advice: advice(error)) }
      return nil
    }
  }

  private func advice(_ error: SegueError) -> String {
    guard !error.hasOwnAdvice else { return error.advice }
    guard error.code == .pluginFailed else { return "segue/plugin.h describes the tables of a plugin." }
    return report.stage == "init"
      ? "It returns 0, or a negative errno where the plugin cannot work."
      : "It is to be a shared library of this machine, and what it needs is to be there: ldd -r tells."
  }
}

extension Handle {
  /// As when C drops its only reference.
  func drop() {
    Handle.drop(Unmanaged.passRetained(self))
  }
}
