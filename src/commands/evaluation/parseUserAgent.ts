/** Parses user agents into platform, model and OS version of the device (spec 2.3). */

import Bowser from 'bowser'
import type { devicePlatforms } from '../../domain/signals/signals.ts'

export interface UserAgentSignals {
  readonly device_platform?: (typeof devicePlatforms)[number]
  readonly device_model?: string
  readonly os_version?: string
}

const textMax = 512
const modelMax = 64
const nothing: UserAgentSignals = {}

/**
 * The signals in a user agent; absent when it does not contain them, all of them when it is not understood. Only the first 512 characters
 * are read. Browsers on a desktop are `web`; bots give no signals. Never throws.
 */
export function parseUserAgent(text: string): UserAgentSignals {
  const agent = text.slice(0, textMax)
  if (agent.trim() === '') return nothing
  const appleTv = /\bapple ?tv/i.test(agent)
  const { os, platform } = Bowser.parse(agent)
  const device = appleTv ? 'tvos' : findPlatform(os.name, platform.type)
  if (device === undefined) return nothing
  const model = appleTv ? 'Apple TV' : (platform.model ?? findAndroidModel(agent, device))
  const version = appleTv ? findAppleVersion(agent) : os.version
  return {
    device_platform: device,
    ...(model ? { device_model: model } : {}),
    ...(version ? { os_version: version } : {}),
  }
}

function findPlatform(
  os: string | undefined,
  type: string | undefined,
): UserAgentSignals['device_platform'] {
  if (type === 'bot') return undefined
  if (os === 'iOS') return type === 'tablet' ? 'ipados' : 'ios'
  if (os === 'Android') return 'android'
  return type === 'desktop' ? 'web' : undefined
}

/** The model stands behind the version of Android; browsers that hide it write `K`, `Mobile` or `Tablet` there. */
function findAndroidModel(agent: string, device: string): string | undefined {
  if (device !== 'android') return undefined
  const model = /android [\d.]+;(?: [a-z]{2}[-_][a-z]{2};)? ([^;()]+?)(?: build\/[^;()]*)?\)/i.exec(
    agent,
  )?.[1]
  return model && model.length <= modelMax && !/^(?:K|Mobile|Tablet|wv|rv:.*)$/.test(model)
    ? model
    : undefined
}

function findAppleVersion(agent: string): string | undefined {
  return /os (\d+(?:_\d+)*) like mac os x/i.exec(agent)?.[1]?.replaceAll('_', '.')
}
