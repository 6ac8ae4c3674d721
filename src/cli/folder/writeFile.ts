/** Writes a file of the folder whole or not at all. */

import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Makes a folder and those it lies in. Not by Node's own way, which goes round and round on a file system that says there is no
 * such place where it says there is its parent (/proc).
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder)
}

/** Puts the text in the place of the file, whose folder is made when it is not there. */
export function writeFile(folder: string, name: string, text: string): void {
  const path = join(folder, name)
  makeFolder(dirname(path))
  // a name with a dot in front is passed over when the folder is read
  const beside = join(dirname(path), `.${process.pid}.new`)
  writeFileSync(beside, text)
  renameSync(beside, path)
}
