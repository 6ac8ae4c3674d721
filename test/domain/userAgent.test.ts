import fc from 'fast-check'
import { expect, test } from 'vitest'
import { devicePlatforms } from '../../src/domain/signals/signals.ts'
import { parseUserAgent } from '../../src/state/evaluation/parseUserAgent.ts'
import { draws } from '../support/draws.ts'

const chrome = (comment: string, rest = 'Chrome/126.0.0.0 Safari/537.36') =>
  `Mozilla/5.0 (${comment}) AppleWebKit/537.36 (KHTML, like Gecko) ${rest}`
const mobile = 'Chrome/126.0.0.0 Mobile Safari/537.36'
const webKit = (comment: string, rest: string) =>
  `Mozilla/5.0 (${comment}) AppleWebKit/605.1.15 (KHTML, like Gecko) ${rest}`
const iPhone17 = 'iPhone; CPU iPhone OS 17_5_1 like Mac OS X'

/** Agent, platform, model and OS version; in the forms that the vendors document. */
const agents: readonly (readonly [string, ...(string | undefined)[]])[] = [
  // Safari (developer.apple.com, webkit.org)
  [
    webKit('iPhone; CPU iPhone OS 17_1_2 like Mac OS X', 'Version/17.1 Mobile/15E148 Safari/604.1'),
    'ios',
    'iPhone',
    '17.1.2',
  ],
  [
    'Mozilla/5.0 (iPhone; U; CPU like Mac OS X; en) AppleWebKit/420+ (KHTML, like Gecko) Version/3.0 Mobile/1A543 Safari/419.3',
    'ios',
    'iPhone',
  ],
  [
    webKit('iPhone; CPU iPhone OS 18_6 like Mac OS X', 'Version/18.6 Mobile/15E148 Safari/604.1'),
    'ios',
    'iPhone',
    '18.6',
  ],
  [
    webKit('iPhone; CPU iPhone OS 18_6 like Mac OS X', 'Version/26.0 Mobile/15E148 Safari/604.1'),
    'ios',
    'iPhone',
  ],
  [
    webKit('iPad; CPU OS 18_7 like Mac OS X', 'Version/26.3 Mobile/15E148 Safari/604.1'),
    'ipados',
    'iPad',
  ],
  [
    webKit(
      'iPod touch; CPU iPhone OS 12_0 like Mac OS X',
      'Version/12.0 Mobile/15E148 Safari/604.1',
    ),
    'ios',
    'iPod',
    '12.0',
  ],
  [
    webKit('iPad; CPU OS 16_6 like Mac OS X', 'Version/16.6 Mobile/15E148 Safari/604.1'),
    'ipados',
    'iPad',
    '16.6',
  ],
  [webKit('Macintosh; Intel Mac OS X 10_15_7', 'Version/17.5 Safari/605.1.15'), 'web'],
  [
    webKit('Macintosh; Intel Mac OS X 10_14_6', 'Version/13.1 Safari/605.1.15'),
    'web',
    undefined,
    '10.14.6',
  ],
  // other browsers and in-app browsers of iOS
  [webKit(iPhone17, 'CriOS/126.0.6478.54 Mobile/15E148 Safari/604.1'), 'ios', 'iPhone', '17.5.1'],
  [
    webKit(
      'iPhone; CPU iPhone OS 18_7 like Mac OS X',
      'CriOS/140.0.7339.39 Mobile/15E148 Safari/604.1',
    ),
    'ios',
    'iPhone',
    '18.7',
  ],
  [webKit('Macintosh; Intel Mac OS X 10_15_7', 'CriOS/126 Version/11.1.1 Safari/605.1.15'), 'web'],
  [webKit(iPhone17, 'FxiOS/127.0 Mobile/15E148 Safari/605.1.15'), 'ios', 'iPhone', '17.5.1'],
  [
    webKit(iPhone17, 'Version/17.0 EdgiOS/125.0.2535.60 Mobile/15E148 Safari/605.1.15'),
    'ios',
    'iPhone',
    '17.5.1',
  ],
  [
    webKit(
      'iPad; CPU OS 8_4 like Mac OS X',
      'Mobile/12H143 [FBAN/FBIOS;FBAV/35.0.0.34.220;FBBV/12945441;FBDV/iPad2,5;FBMD/iPad;FBSN/iPhone OS;FBSV/8.4.1;FBSS/1]',
    ),
    'ipados',
    'iPad2,5',
    '8.4.1',
  ],
  [
    webKit(
      'iPhone; CPU iPhone OS 18_7 like Mac OS X',
      'Mobile/22H20 Instagram 400.0.0.20.80 (iPhone14,3; iOS 26_1; en_US; en; scale=3.00; 1284x2778; 1)',
    ),
    'ios',
    'iPhone14,3',
    '26.1',
  ],
  [webKit('iPhone; CPU iPhone OS 18_7 like Mac OS X', 'Mobile/15E148'), 'ios', 'iPhone'],
  [
    webKit(iPhone17, 'Mobile/21F90 YJApp-IOS jp.co.yahoo.ipn.appli/4.110.1'),
    'ios',
    'iPhone',
    '17.5.1',
  ],
  // Chrome, Edge, Opera, Samsung Internet (developer.chrome.com, learn.microsoft.com)
  [chrome('Windows NT 10.0; Win64; x64'), 'web'],
  [
    chrome('Windows NT 6.1; Win64; x64', 'Chrome/109.0.0.0 Safari/537.36'),
    'web',
    undefined,
    'NT 6.1',
  ],
  [chrome('Macintosh; Intel Mac OS X 10_15_7'), 'web'],
  [
    chrome('Macintosh; Intel Mac OS X 11_1_0', 'Chrome/87.0.4280.88 Safari/537.36'),
    'web',
    undefined,
    '11.1.0',
  ],
  [chrome('X11; Linux x86_64'), 'web'],
  [chrome('X11; CrOS x86_64 14541.0.0'), 'web'],
  [
    chrome('X11; CrOS armv7l 13597.84.0', 'Chrome/88.0.4324.109 Safari/537.36'),
    'web',
    undefined,
    '13597.84.0',
  ],
  [chrome('Windows NT 10.0; Win64; x64', 'Chrome/126.0.0.0 Safari/537.36 Edg/126.0.0.0'), 'web'],
  [chrome('Windows NT 10.0; Win64; x64; Xbox; Xbox One', 'Chrome/64.0 Edge/44.18363.8131'), 'web'],
  [chrome('Windows NT 10.0; Win64; x64', 'Chrome/124.0.0.0 Safari/537.36 OPR/110.0.0.0'), 'web'],
  ['Opera/9.80 (Windows NT 6.1; WOW64) Presto/2.12.388 Version/12.18', 'web', undefined, 'NT 6.1'],
  [
    'Mozilla/5.0 (Windows NT 6.3; WOW64; Trident/7.0; Tablet PC 2.0; rv:11.0) like Gecko',
    'web',
    undefined,
    'NT 6.3',
  ],
  [chrome('Linux; Android 10; K', mobile), 'android'],
  [chrome('Linux; Android 10; K', `${mobile} EdgA/126.0.0.0`), 'android'],
  [chrome('Linux; Android 10; K', `${mobile} OPR/76.2.4027.73374`), 'android'],
  [chrome('Linux; Android 10; K', 'SamsungBrowser/25.0 Chrome/121.0.0.0 Safari/537.36'), 'android'],
  [
    chrome('Linux; Android 13; SAMSUNG SM-G991B', `SamsungBrowser/21.0 ${mobile}`),
    'android',
    'SM-G991B',
    '13',
  ],
  [chrome('Linux; Android 13; Pixel 7 Pro', mobile), 'android', 'Pixel 7 Pro', '13'],
  [
    chrome('Linux; Android 8.1.0; Moto G (5) Build/OPP28.85-13', mobile),
    'android',
    'Moto G (5)',
    '8.1.0',
  ],
  [chrome('Linux; Android 7.0; CUBOT NOTE Plus', mobile), 'android', 'CUBOT NOTE Plus', '7.0'],
  [
    chrome('Linux; Android 9; KFMAWI', 'Silk/108.4.6 like Chrome/108.0.5359.160 Safari/537.36'),
    'android',
    'KFMAWI',
    '9',
  ],
  [
    chrome('Linux; Android 12; HarmonyOS; TAS-AL00; HMSCore 6.11.0.302', mobile),
    'android',
    'TAS-AL00',
  ],
  // WebViews of Android (developer.chrome.com, source.android.com)
  [
    chrome('Linux; Android 14; Pixel 8 Build/UD1A.230803.041; wv', `Version/4.0 ${mobile}`),
    'android',
    'Pixel 8',
    '14',
  ],
  [chrome('Linux; Android 13; TB-X304F; wv', `Version/4.0 ${mobile}`), 'android', 'TB-X304F', '13'],
  [chrome('Linux; Android 13; ; wv', `Version/4.0 ${mobile}`), 'android', undefined, '13'],
  [chrome('Linux; Android 10; K; wv', `Version/4.0 ${mobile}`), 'android'],
  [
    chrome(
      'Linux; Android 4.4; Nexus 5 Build/_BuildID_',
      'Version/4.0 Chrome/30.0.0.0 Mobile Safari/537.36',
    ),
    'android',
    'Nexus 5',
    '4.4',
  ],
  [
    'Mozilla/5.0 (Linux; U; Android 4.0.3; en-us; GT-I9100 Build/IML74K) AppleWebKit/534.30 (KHTML, like Gecko) Version/4.0 Mobile Safari/534.30',
    'android',
    'GT-I9100',
    '4.0.3',
  ],
  [
    chrome(
      'Linux; Android 10; K; wv',
      `Version/4.0 ${mobile} [FBAN/FB4A;FBAV/468.0;FBDV/SM-A515F;FBSV/13;]`,
    ),
    'android',
    'SM-A515F',
    '13',
  ],
  // Firefox (developer.mozilla.org)
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:127.0) Gecko/20100101 Firefox/127.0', 'web'],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:127.0) Gecko/20100101 Firefox/127.0', 'web'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.8; rv:21.0) Gecko/20100101 Firefox/21.0',
    'web',
    undefined,
    '10.8',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0', 'web'],
  ['Mozilla/5.0 (X11; OpenBSD amd64; rv:126.0) Gecko/20100101 Firefox/126.0', 'web'],
  ['Mozilla/5.0 (X11; FreeBSD amd64; rv:122.0) Gecko/20100101 Firefox/122.0', 'web'],
  [
    'Mozilla/5.0 (Android 13; Mobile; rv:127.0) Gecko/127.0 Firefox/127.0',
    'android',
    undefined,
    '13',
  ],
  ['Mozilla/5.0 (Android 10; Mobile; rv:130.0) Gecko/130.0 Firefox/130.0', 'android'],
  ['Mozilla/5.0 (Android; Tablet; rv:14.0) Gecko/14.0 Firefox/14.0', 'android'],
  // televisions and consoles are no phones
  [chrome('Web0S; Linux/SmartTV', 'Chrome/94.0.4606.128 Safari/537.36 WebAppManager'), 'web'],
  [webKit('PlayStation; PlayStation 5/2.26', 'Version/13.0 Safari/605.1.15'), 'web'],
  // Apple TV
  [
    'AppleCoreMedia/1.0.0.15J380 (Apple TV; U; CPU OS 11_0 like Mac OS X; en_us)',
    'tvos',
    'Apple TV',
    '11.0',
  ],
  ['AppleTV6,2/11.1', 'tvos', 'AppleTV6,2', '11.1'],
  [
    'Shop/2.0 (com.example.shop; build:7; tvOS 17.5.0) Alamofire/5.9.1',
    'tvos',
    undefined,
    '17.5.0',
  ],
  // apps
  ['MyApp/1.2 (iPad; iOS 17.5; Scale/2.00)', 'ipados', 'iPad', '17.5'],
  ['MyApp/1.2 (iPhone; iOS 9.3; Scale/3.00)', 'ios', 'iPhone', '9.3'],
  ['MyApp/1.2 (iPad13,4; iPadOS 17.5.1)', 'ipados', 'iPad13,4', '17.5.1'],
  [
    'iOS Example/1.0 (com.alamofire.iOS-Example; build:1; iOS 9.3.0) Alamofire/3.4.2',
    'ios',
    undefined,
    '9.3.0',
  ],
  ['Twitter-iPhone/9.62 iOS/15.3 (Apple;iPhone13,2;;;;;1;2020)', 'ios', 'iPhone13,2', '15.3'],
  ['App/1.0 (Linux; Android 14; Pixel 8) okhttp/4.12.0', 'android', 'Pixel 8', '14'],
  ['App/1.0 Android/14 okhttp/4.12.0', 'android', undefined, '14'],
  [
    'App/1.0 (com.example.app; build:45; Android 14; de_DE) okhttp/4.9.2',
    'android',
    undefined,
    '14',
  ],
  [
    'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A.230901.001)',
    'android',
    'Pixel 7',
    '13',
  ],
  [
    'com.google.android.youtube/19.16.39 (Linux; U; Android 14; en_US; Pixel 8; Build/UD1A.230803.041; Cronet/124.0.6367.54)',
    'android',
    'Pixel 8',
    '14',
  ],
  [
    'Instagram 219.0.0.12.117 Android (29/10; 420dpi; 1080x2137; samsung; SM-A515F; a51; exynos9611; en_US)',
    'android',
    undefined,
    '10',
  ],
  // no platform is said
  ['App/3 CFNetwork/1494.0.7 Darwin/23.4.0'],
  ['macOS Example/1.0 (com.alamofire.iOS-Example; build:1; macOS 14.5.0) Alamofire/5.9.1'],
  ['MyApp/1.0 (Apple Watch; watchOS 10.5; Scale/2.00)'],
  ['okhttp/4.12.0'],
  ['Dart/3.4 (dart:io)'],
  ['axios/1.7.2'],
  ['curl/8.1.2'],
  ['Roku/DVP-9.10 (519.10E04111A)'],
  ['%%%'],
  ['   '],
  [''],
  // phones of other systems
  ['Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5'],
  [
    'Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537',
  ],
  [chrome('Phone; OpenHarmony 5.0', 'Chrome/114.0.0.0 Safari/537.36 ArkWeb/4.1.6.1 Mobile')],
  // bots (developers.google.com, bing.com, developers.facebook.com)
  [
    chrome(
      'Linux; Android 6.0.1; Nexus 5X Build/MMB29P',
      'Chrome/126.0.0.0 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    ),
  ],
  [
    'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm) Chrome/116.0.1938.76 Safari/537.36',
  ],
  [webKit('Macintosh; Intel Mac OS X 10_15_5', 'Version/13.1.1 Safari/605.1.15 (Applebot/0.1)')],
  ['facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  ['Mozilla/5.0 (compatible; Yahoo! Slurp; http://help.yahoo.com/help/us/ysearch/slurp)'],
]

const rows = agents.map(([agent, ...said]) => ({ agent, said }))

test.each(rows)('$agent is read', ({ agent, said: [platform, model, version] }) => {
  expect(parseUserAgent(agent)).toEqual({
    ...(platform && { device_platform: platform }),
    ...(model && { device_model: model }),
    ...(version && { os_version: version }),
  })
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
