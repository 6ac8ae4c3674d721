import { expect, test } from 'vitest'
import { explainListenError } from '../../src/main/startHttpServer.ts'

const place = { host: '127.0.0.1', port: 80 }
const systemError = (code: string) => Object.assign(new Error(`listen ${code}`), { code })

test.each([
  ['EACCES', 'Set PORT to 1024 or above'],
  ['EADDRINUSE', 'set PORT to a port that is free'],
  ['EADDRNOTAVAIL', 'Set HOST to an address of this machine'],
  ['EAFNOSUPPORT', 'Set HOST to an address of this machine'],
  ['EAI_AGAIN', 'Set HOST to an address of this machine'],
])('given %s, then it is said what to do', (code, words) => {
  expect(explainListenError(systemError(code), place)).toMatchObject({
    message: expect.stringContaining(words),
    cause: { code },
  })
})

test('given anything else, then it stays what it is', () => {
  const error = systemError('EMFILE')

  expect(explainListenError(error, place)).toBe(error)
})
