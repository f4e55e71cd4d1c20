import SegueCore
import SegueState

/// Finds the port on which this device listens.
struct Listening {
  let saved: SavedPort
  /// Listens, and returns the ports in order; or throws, and listens on none.
  let listen: ([LinkAddress]) throws(SegueError) -> [UInt16]
  /// Gets a sentence where the port is not the one that was to be expected.
  let tell: (String) -> Void

  /// Listens on `addresses`, and for a port of 0 on the saved one, which paired devices know. Nil stands for the usual
  /// port and all addresses, of IPv6 and IPv4. Returns where others can dial, with the ports that there are.
  func start(on addresses: [LinkAddress]?) throws(SegueError) -> [LinkAddress] {
    guard let addresses else {
      // Linux takes IPv4 there too, but there may be no IPv6.
      do throws(SegueError) { return [try start(on: "::")] } catch { return [try start(on: "0.0.0.0")] }
    }
    guard addresses.count == 1, addresses[0].port == 0 else {
      return zip(addresses, try listen(addresses)).map { LinkAddress(host: $0.host, port: $1) }
    }
    return [try startOnSaved(addresses[0].host)]
  }

  /// On the usual port; where another program has that, on the saved one or any other.
  private func start(on host: String) throws(SegueError) -> LinkAddress {
    let usual = LinkAddress(host: host, port: LinkAddress.defaultPort)
    do throws(SegueError) { _ = try listen([usual]) } catch {
      let other = try startOnSaved(host, besides: usual.port)
      tell(
        "Port \(usual.port) is taken, perhaps by another user's segued, and this device listens on \(other.port). A "
          + "firewall that knows Segue's usual port does not know this one.")
      return other
    }
    if let port = saved.read() {
      // A device that was paired while the saved port was this device's only one may know no other.
      if port != usual.port { _ = try? listen([LinkAddress(host: host, port: port)]) }
    } else {
      saved.write(usual.port)
    }
    return usual
  }

  /// Listens on the saved port. If that is taken, it listens on any port for this run, and the saved one stays. Without
  /// a saved port it listens on any, and saves that.
  private func startOnSaved(_ host: String, besides taken: UInt16? = nil) throws(SegueError) -> LinkAddress {
    let any = LinkAddress(host: host, port: 0)
    guard let port = saved.read(), port != taken else {
      let found = LinkAddress(host: host, port: try listen([any]).first ?? 0)
      saved.write(found.port)
      return found
    }
    do throws(SegueError) {
      let known = LinkAddress(host: host, port: port)
      _ = try listen([known])
      return known
    } catch {
      let found = LinkAddress(host: host, port: try listen([any]).first ?? 0)
      tell(
        "Port \(port), at which paired devices know this one, is taken. Until the next start it listens on "
          + "\(found.port), where they do not look. End the program that has it, or set Listen in segue.conf.")
      return found
    }
  }
}
