import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { Failure, type FailureCode } from '../../src/domain/failure.ts'
import { bodyBytesMax } from '../../src/http/request/body/jsonBody.ts'

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')

const unit = read('ops/vigil.service')
const proxy = read('ops/nginx.conf')
const server = read('src/http/server.ts')
const stopping = read('src/main/stopOnSignals.ts')

function numberOf(pattern: RegExp, text: string): number {
  const found = pattern.exec(text)?.[1]
  if (found === undefined) throw new Error(`${pattern} is not there`)
  return Number(found.replaceAll('_', ''))
}

describe('the systemd unit', () => {
  const variables = Object.fromEntries(
    [...unit.matchAll(/^Environment=(.*)$/gm)]
      .flatMap(([, line = '']) => line.split(' '))
      .map((entry) => entry.split('=') as [string, string]),
  )

  test('sets nothing that the service does not read', () => {
    const config = readConfig(variables)

    expect(config.warnings).toEqual([])
    expect(config.demo).toBe(false)
  })

  test('keeps the data where the unit may write, and nowhere else', () => {
    const state = /^StateDirectory=(.*)$/m.exec(unit)?.[1]

    expect(variables['VIGIL_DATA']).toBe(`/var/lib/${state}`)
    expect(unit).toContain('ProtectSystem=strict')
    expect(unit).not.toContain('ReadWritePaths')
  })

  test('waits longer for the stop than the service takes', () => {
    const stopTimeoutMs = numberOf(/const stopTimeoutMs = ([\d_]+)/, stopping)

    expect(numberOf(/^TimeoutStopSec=(\d+)$/m, unit) * 1000).toBeGreaterThanOrEqual(
      stopTimeoutMs * 1.5,
    )
  })
})

describe('the proxy in front', () => {
  test('gives connections back before the service closes them', () => {
    const keptMs = numberOf(/keepAliveTimeout: ([\d_]+)/, server)

    expect(numberOf(/^\s*keepalive_timeout (\d+)s;/m, proxy) * 1000).toBeLessThan(keptMs)
  })

  test('waits longer than the service takes to answer', () => {
    const answerMs = numberOf(/answerMs = ([\d_]+)/, read('src/http/app.ts'))

    expect(numberOf(/^\s*proxy_read_timeout (\d+)s;/m, proxy) * 1000).toBeGreaterThan(answerMs)
  })

  test.each([
    ['alone', proxy],
    ['of the cluster', read('ops/nginx.cluster.conf')],
  ])(
    '%s replaces what a client says of itself, and closes what is for the operator',
    (_which, text) => {
      const [before = '', ...locations] = text.split(/^\s*location /m)

      // headers that a location sets stand in place of those of the server, not beside them
      const passing = locations.filter((one) => one.includes('proxy_pass'))
      expect(passing).not.toEqual([])
      for (const location of passing) {
        const headers = location.includes('proxy_set_header') ? location : before
        expect(headers).toContain('proxy_set_header X-Forwarded-For $remote_addr;')
        expect(headers).toContain('proxy_set_header X-Forwarded-Host $host;')
      }
      expect(text).not.toContain('$proxy_add_x_forwarded_for')
      const operator = locations.find((one) =>
        one.startsWith('~ ^/(console/api/)?(metrics|v2/operator)(/|$) {'),
      )
      expect(operator).toMatch(/deny all;|return 404;/)
    },
  )

  test('limits what end users call by address, and back ends apart from them', () => {
    const zoneOf = (location: string) =>
      new RegExp(`location ${location} \\{\\s+limit_req zone=(\\w+)`).exec(proxy)?.[1]

    expect(zoneOf('/')).toBe('vigil_end_users')
    expect(zoneOf('/v2/')).toBe('vigil_back_ends')
  })

  test('passes on every body that the service takes', () => {
    const passed = numberOf(/client_max_body_size (\d+)m;/, proxy) * 1024 * 1024

    expect(passed).toBeGreaterThan(bodyBytesMax.batch)
  })

  test.each(['ops/nginx.conf', 'ops/nginx.cluster.conf'])(
    '%s logs requests without their query, answers errors in JSON, and never sends a POST again',
    (file) => {
      const text = read(file)

      expect(text).toMatch(/access_log \S+ vigil;\n\s+error_log \S+ emerg;/)
      expect(/log_format vigil [^;]*/.exec(text)?.[0]).not.toMatch(/\$(request|request_uri|args)\b/)
      expect(text).toContain('include conf.d/nginx.errors.inc;')
      expect(text).toContain('proxy_next_upstream error timeout;')
    },
  )

  test('what it answers itself are failures of the API, each with its status and its type', () => {
    const answers = [...read('ops/nginx.errors.inc').matchAll(/return (\d+) '(\{.*\})\\n';/g)]
    const paths = [...read('ops/nginx.errors.inc').matchAll(/^error_page .* (\S+);$/gm)]
    expect([answers, paths]).not.toContainEqual([])
    for (const [, status, body = ''] of answers) {
      const { code, type } = JSON.parse(body) as { code: FailureCode; type: string }
      expect(new Failure(code, '')).toMatchObject({ status: Number(status), type })
    }
    for (const [, path] of paths)
      expect(read('ops/nginx.errors.inc')).toContain(`location = ${path} {\n  internal;`)
  })

  test('takes the headers that Vigil takes', () => {
    const taken = numberOf(/maxHeaderSize: (\d+) \* 1024/, server)

    expect(numberOf(/large_client_header_buffers 4 (\d+)k;/, proxy)).toBeGreaterThanOrEqual(taken)
  })
})
