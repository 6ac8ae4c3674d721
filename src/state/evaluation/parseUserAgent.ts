/** Parses user agents into platform, model and OS version of the device (spec 2.3). */

import type { devicePlatforms } from '../../domain/signals/signals.ts'

type Platform = (typeof devicePlatforms)[number]

export interface UserAgentSignals {
  readonly device_platform?: Platform
  readonly device_model?: string
  readonly os_version?: string
}

const textMax = 512
const modelMax = 64
const nothing: UserAgentSignals = {}

/** Programs that read the web. `+http` leads to the page about the program. */
const bots =
  /(?<!\bcu)bot\b|spider|crawl|slurp|\+https?:|facebook(?:externalhit|catalog)|meta-(?:external|webindexer)|ia_archiver|(?:chatgpt|claude|perplexity)-(?:user|web)|pingdom|google-inspectiontool/i

/** Devices of systems that are no platform of the spec, though they write Android or iPhone to be treated alike. */
const otherSystems = /windows (?:phone|mobile)|openharmony|watchos|visionos/i

/** The first that fits; an agent that says iOS and no device is `ios`. */
const platforms: readonly (readonly [Platform, RegExp])[] = [
  ['tvos', /\bapple ?tv|\btvos[ /]\d/i],
  ['ipados', /\biPad/],
  ['ios', /\b(?:iPhone|iPod)|\b(?:iOS|ios)[ /]\d/],
  ['android', /(?<![\w.-]|like )android(?:[ /;),-]|$)/i],
  [
    'web',
    /^(?:mozilla|opera)\/\d(?!.*(?:\bmobi|\bphone\b|\btablet(?! pc)|symbian|series ?[346]0|j2me|midp|kaios|blackberry)).*(?:webkit|gecko|presto|trident|msie)/i,
  ],
]

/** What newer versions and devices that hide theirs write as well: it says nothing of model or version. */
const frozen: Readonly<Partial<Record<Platform, RegExp>>> = {
  ipados: /OS 18_[67]\b.*AppleWebKit(?!.*(?:Version\/18|CriOS))/,
  ios: /OS 18_[67]\b.*AppleWebKit(?!.*(?:Version\/18|CriOS))/,
  android: /android (?:10; (?:K|Mobile|Tablet)\b|[\d.]+; HarmonyOS\b)/i,
  web: /Windows NT 10\.0|Mac OS X 10[._]15(?:[._]7)?(?![\d._])|CrOS \S+ 14541\.0\.0/,
}

/** What apps say of the device is not frozen. */
const appVersions = [/\bFBSV\/(\d+(?:\.\d+)*)/, /\b(?:iOS|ios|iPadOS|tvOS)[ /](\d+(?:[._]\d+)*)/]
const appleVersions = [/\bOS (\d+(?:_\d+)*) like Mac OS X/i, /\bAppleTV\d+,\d+\/(\d+(?:\.\d+)*)/]
const versions: Readonly<Record<Platform, readonly RegExp[]>> = {
  tvos: appleVersions,
  ipados: appleVersions,
  ios: appleVersions,
  android: [/android[ /-](\d+(?:\.\d+)*)/i, /android \(\d+\/(\d+(?:\.\d+)*)/i],
  web: [/\bWindows (NT \d+\.\d+)/, /\bMac OS X (\d+(?:[._]\d+)+)/, /\bCrOS \S+ (\d+(?:\.\d+)+)/],
}

/**
 * The signals in a user agent; absent when it does not contain them, all of them when it is not understood. Only the
 * first 512 characters are read. Browsers of devices other than phones are `web`; bots give no signals. Never throws.
 */
export function parseUserAgent(text: string): UserAgentSignals {
  const agent = text.slice(0, textMax)
  if (bots.test(agent) || otherSystems.test(agent)) return nothing
  const [platform] = platforms.find(([, pattern]) => pattern.test(agent)) ?? []
  if (platform === undefined) return nothing
  const model = findModel(agent, platform)
  const version = findVersion(agent, platform)
  return {
    device_platform: platform,
    ...(model && { device_model: model }),
    ...(version && { os_version: version }),
  }
}

function findVersion(agent: string, platform: Platform): string | undefined {
  const said = findFirst(agent, appVersions)
  if (said !== undefined || frozen[platform]?.test(agent)) return said
  return findFirst(agent, versions[platform])
}

function findFirst(agent: string, patterns: readonly RegExp[]): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(agent)?.[1]
    if (found !== undefined) return found.replaceAll('_', '.')
  }
  return undefined
}

function findModel(agent: string, platform: Platform): string | undefined {
  if (platform === 'web') return undefined
  if (platform === 'android') return findAndroidModel(agent)
  const [model] =
    /\b(?:iPhone|iPad|iPod|AppleTV)\d+,\d+/.exec(agent) ??
    /\b(?:iPhone|iPad|iPod)/.exec(agent) ??
    []
  return model ?? (/\bapple ?tv/i.test(agent) ? 'Apple TV' : undefined)
}

/** What stands between the version and the model. */
const beforeModel = /^(?:U|HarmonyOS|[a-z]{2,3}(?:[-_](?:[A-Za-z]{2,4}|\d{3}))*)$/
/** What stands where the model does not. */
const noModel = /^(?:K|Mobile|Tablet|TV|wv|[\d.]+|\d+dpi|\d+x\d+|(?:api|sdk)\b.*|.*[/:=].*)$/i

/** The field behind the version of Android. An app of Facebook names the device at the end. */
function findAndroidModel(agent: string): string | undefined {
  const [, fields = ''] = /\bandroid[ /-]?[\d.]*;((?:[^()]|\([^()]*\))*)/i.exec(agent) ?? []
  const field = fields
    .split(';')
    .map((one) => one.trim())
    .find((one) => !beforeModel.test(one))
  const model = field?.replace(/\s*\bBuild\/.*$/i, '').replace(/^samsung /i, '')
  if (model && model.length <= modelMax && !noModel.test(model)) return model
  return /\bFBDV\/([^;\]]{1,64});/.exec(agent)?.[1]
}
