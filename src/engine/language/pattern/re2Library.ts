/** The parser and compiler of RE2, with the characters of Unicode classes at hand. */

import { createRequire } from 'node:module'
import { useKeptClasses } from './unicodeClasses.ts'

/**
 * Required, where everything else is imported: the library's tables could only be imported with a promise, on which this module would wait. On
 * Node 22 a thread that is ended while modules behind such a one are evaluated takes the process with it.
 */
const require = createRequire(import.meta.url)
const library = require('@bufbuild/re2') as typeof import('@bufbuild/re2')
useKeptClasses(require)

export const { RE2JS, RE2JSException } = library
