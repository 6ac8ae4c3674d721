import type { Socket } from 'node:net'
import { openShares } from '../../domain/shares.ts'

interface ConnectionLimits {
  readonly connectionsMax: number
  readonly connectionsOfAddressMax: number
}

/** Answers, for each new connection, whether its address has not yet its share of the connections; it is held until it closes. */
export function shareConnections({
  connectionsMax,
  connectionsOfAddressMax,
}: ConnectionLimits): (socket: Socket) => boolean {
  const connections = openShares({ share: connectionsOfAddressMax, total: connectionsMax })
  return (socket) => {
    const { remoteAddress } = socket
    if (connections.refuses(remoteAddress, 1) !== undefined) return false
    socket.once('close', connections.hold(remoteAddress, 1).giveBack)
    return true
  }
}
