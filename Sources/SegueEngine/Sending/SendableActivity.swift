import SegueCore

/// An activity of this device, as a surface of the desktop shows that it can be sent. All texts are plain.
public struct SendableActivity: Equatable, Sendable {
  public struct Receiver: Equatable, Sendable {
    public let device: DeviceID
    public let name: String
  }

  public let id: Identifier
  /// The title; where there is none, the application's name.
  public let title: String
  /// Whether it has a page, whose link a phone can get.
  public let hasPage: Bool
  public let receivers: [Receiver]
}
