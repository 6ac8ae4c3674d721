import { describe, expect, test } from 'vitest'
import {
  describeFileFault,
  explainFileError,
  findFileFault,
  isIoFault,
  isPassingFault,
} from '../../src/domain/fileFaults.ts'

const failed = (facts: object, message = 'failed') => Object.assign(new Error(message), facts)
const [io, cannotOpen] = [10, 14]
const errno = { EACCES: 13, ENOSPC: 28, EROFS: 30, ENOENT: 2 }

describe('given an error of SQLite or of a file, when asked what it means, then the fault is known', () => {
  test.each([
    ['a primary result code', failed({ errcode: 13 }), 'full'],
    ['an extended result code', failed({ errcode: io | (4 << 8) }), 'io'],
    ['no room for the index of the write-ahead log', failed({ errcode: io | (19 << 8) }), 'full'],
    [
      'a text without a number',
      failed({ code: 'ERR_SQLITE_ERROR' }, 'database disk image is malformed'),
      'corrupt',
    ],
    [
      'a disk that SQLite says failed, since it was full',
      failed({ errcode: io, systemErrno: errno.ENOSPC }),
      'full',
    ],
    [
      'a database of another user',
      failed({ errcode: cannotOpen, systemErrno: errno.EACCES }),
      'denied',
    ],
    [
      'a database that is not there',
      failed({ errcode: cannotOpen, systemErrno: errno.ENOENT }),
      'missing',
    ],
    [
      'a database on a read-only disk',
      failed({ errcode: cannotOpen, systemErrno: errno.EROFS }),
      'read_only_system',
    ],
    [
      'a database that cannot be opened, for no known reason',
      failed({ errcode: cannotOpen }),
      'cannot_open',
    ],
    [
      'a reason of the system that is older than the error',
      failed({ errcode: 11, systemErrno: errno.ENOSPC }),
      'corrupt',
    ],
    ['a broken rule of a table', failed({ errcode: 19, systemErrno: errno.ENOSPC }), undefined],
    ['a mistake of the program', new TypeError('x is not a function'), undefined],
    ['what is no error', 'disk I/O error', undefined],
  ])('%s', (_, error, fault) => {
    expect(findFileFault(error)).toBe(fault)
  })
})

test.each([
  ['EACCES', /this user may not .*; give it to this user/],
  ['EPERM', /this user may not .*; give it to this user/],
  ['EROFS', /mounted read-only; mount it writable/],
  ['ENOSPC', /the disk is full; free some space/],
  ['EDQUOT', /quota.*; free some space/],
  ['EFBIG', /may write no more .*; .*raise the limit/],
  ['ENOENT', /not there.*; check its path/],
  ['ENOTDIR', /no folder; check the path/],
  ['EISDIR', /no file; move it away/],
  ['EMFILE', /too many files .*; raise the limit/],
  ['ENFILE', /too many files .*; raise the limit/],
  ['ELOOP', /in a circle; mend them/],
  ['ENAMETOOLONG', /too long; name a shorter one/],
  ['EIO', /disk failed.*; see what the system says/],
  ['ESTALE', /disk failed.*; see what the system says/],
  ['EBUSY', /another process .*; stop it/],
  ['ETXTBSY', /another process .*; stop it/],
  ['EEXIST', /there already; move it away/],
  ['ENOTEMPTY', /there already; move it away/],
  ['EXDEV', /another file system; name a path/],
])(
  'given %s, when explained, then the file, what is wrong and the next step are in one sentence',
  (code, sentence) => {
    const error = failed({ code, path: '/data/x', syscall: 'open' }, `${code}: raw text`)

    const explained = explainFileError(error)

    expect(explained).toMatch(/^Cannot use \/data\/x: [^.]*\.$/)
    expect(explained).toMatch(sentence)
    expect(explained).not.toContain(code)
  },
)

test('given an error that names no file, or of another kind, when explained, then there is no sentence', () => {
  expect(explainFileError(failed({ code: 'EACCES', syscall: 'listen' }))).toBeUndefined()
  expect(explainFileError(failed({ code: 'ENOTFOUND', path: '/x' }))).toBeUndefined()
  expect(explainFileError('EACCES')).toBeUndefined()
})

test('given a commit that failed, when asked whether to go on, then only what leaves the database as it was may pass', () => {
  const passing = [
    failed({ errcode: 13 }),
    failed({ errcode: 5 }),
    failed({ errcode: io | (19 << 8) }),
  ]
  const final = [
    failed({ errcode: io | (4 << 8), systemErrno: errno.ENOSPC }),
    failed({ errcode: io }),
    failed({ errcode: 11 }),
  ]

  expect(passing.map(isPassingFault)).toEqual([true, true, true])
  expect(final.map(isPassingFault)).toEqual([false, false, false])
})

test('given a failed disk behind other errors, when asked, then it is a fault of the disk, and a missing file is not', () => {
  const full = new Error('a', { cause: new Error('b', { cause: failed({ code: 'ENOSPC' }) }) })

  expect([full, failed({ code: 'EIO' }), failed({ code: 'EDQUOT' })].map(isIoFault)).toEqual([
    true,
    true,
    true,
  ])
  expect([failed({ code: 'ENOENT' }), new Error('x'), undefined].map(isIoFault)).toEqual([
    false,
    false,
    false,
  ])
  expect(describeFileFault('full')).toBe('the disk is full; free some space')
})
