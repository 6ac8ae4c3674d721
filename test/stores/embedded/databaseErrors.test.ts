import { expect, test } from 'vitest'
import { explainOpenError } from '../../../src/stores/embedded/databaseErrors.ts'

const failed = (facts: object, message = 'failed') => Object.assign(new Error(message), facts)

test('given an error behind others, when a start ends with it, then the file and the next step are named', () => {
  const origin = failed({ code: 'ERR_SQLITE_ERROR', errcode: 10 }, 'disk I/O error')
  const outer = new Error('the log cannot be read', {
    cause: new Error('a page', { cause: origin }),
  })

  const refusal = explainOpenError(outer, '/data/log.db')

  expect(refusal.message).toMatch(
    /^Cannot use \/data\/log\.db: the disk failed to read or write; .*check it before starting/,
  )
  expect(refusal.cause).toBe(outer)
})

test('given a refusal that names a file, when it passes somebody who opened another one, then it still names its own', () => {
  const inner = explainOpenError(failed({ code: 'EACCES' }), '/data/stores.witness')

  expect(explainOpenError(inner, '/data/keys.db')).toBe(inner)
  expect(inner.message).toMatch(/^Cannot use \/data\/stores\.witness: .*chown.*\.$/)
})
