import SegueBus
