import { expect, test } from 'vitest'
import {
  classifyStoreFault,
  explainOpenError,
} from '../../../src/stores/embedded/databaseErrors.ts'

const failed = (facts: object, message = 'failed') => Object.assign(new Error(message), facts)

test.each([
  ['a primary result code', failed({ errcode: 13 }), 'full'],
  ['an extended result code', failed({ errcode: 10 | (4 << 8) }), 'io'],
  ['no room for the index of the write-ahead log', failed({ errcode: 10 | (19 << 8) }), 'full'],
  [
    'a text without a number',
    failed({ code: 'ERR_SQLITE_ERROR' }, 'database disk image is malformed'),
    'corrupt',
  ],
  ['a file system without room', failed({ code: 'ENOSPC' }), 'full'],
  ['a file system mounted read-only', failed({ code: 'EROFS' }), 'read_only'],
  ['a file of somebody else', failed({ code: 'EACCES' }), 'cannot_open'],
  ['a disk that failed under a file', failed({ code: 'EIO' }), 'io'],
  ['a folder in the place of a file', failed({ code: 'EISDIR' }), 'no_file'],
  ['a file that is not there', failed({ code: 'ENOENT' }), 'cannot_open'],
  ['a broken rule of a table', failed({ errcode: 19 }), undefined],
  ['a mistake of the program', new TypeError('x is not a function'), undefined],
  ['what is no error', 'disk I/O error', undefined],
])('given %s, when asked what it means, then the trouble is known', (_, error, trouble) => {
  expect(classifyStoreFault(error)).toBe(trouble)
})

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
  expect(inner.message).toMatch(/^Cannot use \/data\/stores\.witness: .*VIGIL_DATA\.$/)
})
