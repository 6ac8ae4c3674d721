/** Before every test file: a table of tests without a row is an error, since nothing of it would be run. */

import { describe, test } from 'vitest'

for (const suite of [test, describe]) {
  const { each } = suite
  function refusing(this: unknown, ...given: readonly unknown[]): unknown {
    const [rows] = given
    if (Array.isArray(rows) && rows.length === 0) throw new Error('A table of tests has no row.')
    return Reflect.apply(each, this, given)
  }
  // files of one process share the functions
  if (each.name !== refusing.name) suite.each = refusing as typeof each
}
