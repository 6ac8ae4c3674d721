/** Which Vigil this is. */

import { readFileSync } from 'node:fs'

/** Of the package this file belongs to; as deep below it in `src` as in `dist`. */
const packageFile = new URL('../../../package.json', import.meta.url)

/** The version of this program, as in `1.2.3`. */
export function readVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { readonly version: string }
  return version
}
