import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseUserAgent } from '../../src/commands/evaluation/parseUserAgent.ts'
import { devicePlatforms } from '../../src/domain/signals/signals.ts'
import { draws } from '../support/draws.ts'

const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const iosWebKit = 'AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.1 Mobile/15E148 Safari/604.1'

test.each([
  [
    'an iPhone',
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_1_2 like Mac OS X) ${iosWebKit}`,
    { device_platform: 'ios', device_model: 'iPhone', os_version: '17.1.2' },
  ],
  [
    'an iPod',
    `Mozilla/5.0 (iPod touch; CPU iPhone OS 12_0 like Mac OS X) ${iosWebKit}`,
    { device_platform: 'ios', device_model: 'iPod', os_version: '12.0' },
  ],
  [
    'an iPad',
    `Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) ${iosWebKit}`,
    { device_platform: 'ipados', device_model: 'iPad', os_version: '16.6' },
  ],
  [
    'an Apple TV',
    'AppleCoreMedia/1.0.0.15J380 (Apple TV; U; CPU OS 11_0 like Mac OS X; en_us)',
    { device_platform: 'tvos', device_model: 'Apple TV', os_version: '11.0' },
  ],
  [
    'an Apple TV that says no version',
    'AppleTV11,1/11.1',
    { device_platform: 'tvos', device_model: 'Apple TV' },
  ],
  [
    'an Android phone',
    `Mozilla/5.0 (Linux; Android 13; Pixel 7 Pro) ${webKit} Chrome/116.0.0.0 Mobile Safari/537.36`,
    { device_platform: 'android', device_model: 'Pixel 7 Pro', os_version: '13' },
  ],
  [
    'an Android phone with its build and locale',
    'Mozilla/5.0 (Linux; U; Android 4.0.3; en-us; GT-I9100 Build/IML74K) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    { device_platform: 'android', device_model: 'GT-I9100', os_version: '4.0.3' },
  ],
  [
    'an Android phone that hides its model',
    `Mozilla/5.0 (Linux; Android 10; K) ${webKit} Chrome/116.0.0.0 Mobile Safari/537.36`,
    { device_platform: 'android', os_version: '10' },
  ],
  [
    'Firefox on Android',
    'Mozilla/5.0 (Android 13; Mobile; rv:109.0) Gecko/116.0 Firefox/116.0',
    { device_platform: 'android', os_version: '13' },
  ],
  [
    'Chrome on Windows',
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/116.0.0.0 Safari/537.36`,
    { device_platform: 'web', os_version: 'NT 10.0' },
  ],
  [
    'Safari on a Mac',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Safari/605.1.15',
    { device_platform: 'web', os_version: '10.15.7' },
  ],
  [
    'Firefox on Linux',
    'Mozilla/5.0 (X11; Linux x86_64; rv:109.0) Gecko/20100101 Firefox/117.0',
    { device_platform: 'web' },
  ],
])('%s is read', (_, agent, signals) => {
  expect(parseUserAgent(agent)).toEqual(signals)
})

test.each([
  ['nothing', ''],
  ['spaces', '   '],
  [
    'a bot',
    `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${webKit} Chrome/116.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  ],
  ['a script', 'curl/8.1.2'],
  ['a library', 'okhttp/4.11.0'],
  ['a television of another make', 'Roku/DVP-9.10 (519.10E04111A)'],
  ['noise', '%%%'],
])('%s says nothing', (_, agent) => {
  expect(parseUserAgent(agent)).toEqual({})
})

test('what stands behind the first 512 characters is not read', () => {
  const agent = `${'x'.repeat(512)} (iPhone; CPU iPhone OS 17_1 like Mac OS X)`

  expect(parseUserAgent(agent)).toEqual({})
})

test('no text makes it throw or answer what the spec does not know', () => {
  const words = fc.constantFrom(
    ...[
      'Android',
      'iPhone',
      'iPad',
      'Mac OS X',
      'Windows NT',
      'Version/',
      'Build/',
      'os 1_',
      '; ',
      '(',
      ')',
      'Apple TV',
    ],
  )
  const agents = fc
    .array(fc.oneof(words, fc.string()), { maxLength: 60 })
    .map((all) => all.join(' '))

  fc.assert(
    fc.property(agents, (agent) => {
      const signals = parseUserAgent(agent)

      expect([...devicePlatforms, undefined]).toContain(signals.device_platform)
      for (const value of Object.values(signals)) expect(value).not.toBe('')
    }),
    { numRuns: draws(300) },
  )
})
