/** Writes a file of the folder whole or not at all. */

import { renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolder } from '../../terminal/makeFolder.ts'

/** Puts the text in the place of the file, whose folder is made when it is not there. */
export function writeFile(folder: string, name: string, text: string): void {
  const path = join(folder, name)
  makeFolder(dirname(path))
  // a name with a dot in front is passed over when the folder is read
  const beside = join(dirname(path), `.${process.pid}.new`)
  writeFileSync(beside, text)
  renameSync(beside, path)
}
