/** Frames of bytes on a stream: their length in four bytes, then as many bytes. */

const lengthBytes = 4

/** The bytes as a frame. */
export function frameOf(bytes: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(lengthBytes + bytes.length)
  frame.writeUInt32LE(bytes.length)
  bytes.copy(frame, lengthBytes)
  return frame
}

/** Takes the pieces of a stream as they come, and hands out each frame once it is there whole. */
export function frameReader(take: (frame: Buffer) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = []
  let held = 0
  /** Bytes that have to be there before there is anything to do. */
  let wanted = lengthBytes
  return (piece) => {
    pieces.push(piece)
    held += piece.length
    if (held < wanted) return
    let bytes = pieces.length === 1 ? piece : Buffer.concat(pieces, held)
    for (wanted = lengthBytes; bytes.length >= wanted; wanted = lengthBytes) {
      const end = lengthBytes + bytes.readUInt32LE(0)
      if (bytes.length < end) {
        wanted = end
        break
      }
      take(bytes.subarray(lengthBytes, end))
      bytes = bytes.subarray(end)
    }
    pieces = bytes.length > 0 ? [bytes] : []
    held = bytes.length
  }
}
