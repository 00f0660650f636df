// Code for Apple's framework that imports this module alone expects Foundation with it: Apple's headers import it.
@_exported public import Foundation
