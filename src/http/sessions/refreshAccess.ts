/** The holder of a refresh token: in the header `X-Refresh-Token`, or in the cookie of the application. */

import type { ServedApp } from '../../domain/servedApp.ts'
import type { RefreshRequest } from '../../service/sessions/refreshPart.ts'
import type { Access } from '../request/access.ts'
import { applicationAccess } from '../request/applicationAccess.ts'
import type { Context } from '../request/context.ts'
import { type CountrySight, seenCountry } from './seenCountry.ts'

export interface TokenHolder extends Omit<RefreshRequest, 'requestId' | 'countRefresh'> {
  /** Whether the cookie came along, so that it has to be kept up with the token. */
  readonly hasCookie: boolean
}

/** Whether the token is good says the service. */
export function refreshAccess(sight: CountrySight): Access<TokenHolder> {
  return (method) => {
    const { admit } = applicationAccess(method)
    return {
      admits: 'refresh_token',
      admit: async (ctx) => holderOf(ctx, await admit(ctx), sight),
    }
  }
}

function holderOf(ctx: Context, app: ServedApp, sight: CountrySight): TokenHolder {
  const cookie = cookieOf(ctx, app)
  return {
    app,
    token: headerOf(ctx, 'x-refresh-token') ?? cookie,
    hasCookie: cookie !== undefined,
    proof: headerOf(ctx, 'dpop'),
    countryCode: seenCountry(ctx.req, sight),
    target: {
      method: ctx.method,
      host: ctx.state.authority ?? '',
      path: ctx.path,
      isSecure: ctx.secure,
    },
  }
}

function headerOf({ req: { headers } }: Context, name: string): string | undefined {
  const text = headers[name]
  return text === undefined || text === '' ? undefined : String(text)
}

/** The name of the cookie of an application. */
export function refreshCookie({ appId }: Pick<ServedApp, 'appId'>): string {
  return `__refresh_${appId}`
}

/**
 * A browser sends the cookie whoever asks it to: it counts only for pages that the application allows, and for what is no page at all. Of
 * two of one name, the first one stands for the longer path.
 */
function cookieOf({ req: { headers } }: Context, app: ServedApp): string | undefined {
  const { origin, cookie = '' } = headers
  if (origin !== undefined && !app.settings.allowed_origins.includes(origin)) return undefined
  const start = `${refreshCookie(app)}=`
  const pair = cookie.split(';').find((one) => one.trim().startsWith(start))
  const value = pair?.trim().slice(start.length)
  return value === '' ? undefined : value
}
