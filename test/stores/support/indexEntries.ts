/** Entries of the index of a log, and how a disk changes them. */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Where the name stands in the index: in the table it is followed by the id of its event, a UUID. */
export function inIndex(bytes: Buffer, name: string): readonly number[] {
  const places: number[] = []
  for (let at = bytes.indexOf(name); at >= 0; at = bytes.indexOf(name, at + 1)) {
    const follows = bytes.toString('latin1', at + name.length, at + name.length + 36)
    if (!/^[0-9a-f-]{36}$/.test(follows)) places.push(at)
  }
  return places
}

/** Changes a byte of the file, as a disk does. */
export function changeByte(log: string, at: number, mask: number): void {
  const handle = openSync(log, 'r+')
  const [before = 0] = readFileSync(log).subarray(at, at + 1)
  writeSync(handle, Buffer.from([before ^ mask]), 0, 1, at)
  closeSync(handle)
}
