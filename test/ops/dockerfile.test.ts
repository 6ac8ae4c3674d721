/** The image against what is in it, and its health check against a service. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { settingNames } from '../../src/config/settingReaders.ts'
import { readConfig } from '../../src/config.ts'
import { listen } from '../support/listen.ts'
import { environmentOf, readDockerfile } from './support/dockerfile.ts'

const instructions = readDockerfile('Dockerfile')
const texts = (name: string) =>
  instructions.filter((one) => one.name === name).map((one) => one.text)
const settings = environmentOf(instructions)

describe('the image', () => {
  test('is made of one exact version of Node that the package allows', () => {
    const bases = new Set(texts('FROM').map((text) => text.split(' ')[0]))
    expect([...bases]).toEqual([expect.stringMatching(/^node:2[6-9]\.\d+\.\d+-bookworm-slim$/)])
  })

  test('copies what is there and what the build is sent, and nothing else is sent', () => {
    const copied = texts('COPY')
      .filter((text) => !text.startsWith('--from'))
      .flatMap((text) => text.split(' ').slice(0, -1))
    const sent = readFileSync('.dockerignore', 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))

    for (const path of copied) expect([path, existsSync(path)]).toEqual([path, true])
    expect(sent[0]).toBe('*')
    expect(sent.slice(1).toSorted()).toEqual(
      [...new Set(copied)].map((path) => `!${path}`).toSorted(),
    )
  })

  test('sets only what the service reads, and starts what the package starts', () => {
    const { NODE_ENV, ...own } = settings
    expect(NODE_ENV).toBe('production')
    expect(settingNames).toEqual(expect.arrayContaining(Object.keys(own)))
    expect(readConfig(settings)).toMatchObject({ host: '0.0.0.0', warnings: [] })
    expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts.start).toContain(
      'node --v8-pool-size=1 dist/main.js',
    )
    expect(texts('CMD')).toEqual(['["node", "--v8-pool-size=1", "dist/main.js"]'])
  })

  test('does not run as root, and keeps the data where it may write', () => {
    expect(texts('USER')).toEqual(['1000:1000'])
    expect(texts('VOLUME')).toEqual([settings['VIGIL_DATA']])
    expect(texts('RUN').at(-1)).toContain(
      `install -d -m 0700 -o 1000 -g 1000 ${settings['VIGIL_DATA']}`,
    )
    expect(texts('EXPOSE')).toEqual([settings['PORT']])
  })

  test('has no secret', () => {
    expect(readFileSync('Dockerfile', 'utf8')).not.toMatch(/VIGIL_(?:MASTER_KEY|OPERATOR_TOKEN)/)
  })
})

/** The system gives it to nobody who asks for a free one. */
const nobodysPort = 2

async function checkOf(answer: number | undefined): Promise<{ code: number; said: string }> {
  const server = createServer((_, res) => {
    res.writeHead(answer ?? 500).end('what is wrong')
  })
  const { port, close } = await listen(server)
  onTestFinished(close)
  const child = spawn(process.execPath, ['ops/healthCheck.js', '/health/ready'], {
    env: { ...process.env, PORT: String(answer === undefined ? nobodysPort : port) },
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number]
  return { code, said }
}

describe('the health check', () => {
  test('is well when the service answers 200', async () => {
    expect(await checkOf(200)).toMatchObject({ code: 0 })
  })

  test('is not when it answers 503, and says what it said', async () => {
    expect(await checkOf(503)).toEqual({ code: 1, said: 'what is wrong\n' })
  })

  test('is not when nobody listens', async () => {
    const { code, said } = await checkOf(undefined)

    expect(code).toBe(1)
    expect(said).toContain('ECONNREFUSED')
  })
})
