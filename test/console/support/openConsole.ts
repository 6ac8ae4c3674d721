/** A service with two weeks of traffic, and its console in a real Chromium that reports what goes wrong. */

import type { Browser, BrowserContext, ConsoleMessage, Page } from 'playwright-core'
import { createDemoAccount } from '../../../src/demo.ts'
import { openVigil, sendAs, type Vigil } from '../../support/openVigil.ts'

const dayMs = 86_400_000

export interface Shop {
  readonly vigil: Vigil
  readonly url: string
  readonly token: string
  readonly send: ReturnType<typeof sendAs>
  readonly signupFlow: string
  /** Ids of evaluations, the last one flagged. */
  readonly evaluations: readonly string[]
  readonly close: () => Promise<void>
}

interface ShopOptions {
  /** Evaluations of each day of the last fourteen; none unless given. */
  readonly perDay?: number
}

/** The demo account. */
export async function openShop({ perDay = 0 }: ShopOptions = {}): Promise<Shop> {
  const vigil = await openVigil()
  const demo = await createDemoAccount(vigil.service, vigil)
  if (!demo) throw new Error('there is no demo account')
  const send = sendAs(vigil, demo.token)
  const shop = { vigil, send, signupFlow: demo.signupFlow, token: demo.token }
  const evaluations = await playTraffic(shop, demo.payoutFlow, perDay)
  return {
    ...shop,
    url: `http://127.0.0.1:${vigil.door.port}`,
    evaluations,
    close: vigil.close,
  }
}

/** A whole number below the given one. */
type Draw = (below: number) => number

/** The same numbers at every run. */
function openDraws(seed: number): Draw {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const countries = ['FR', 'FR', 'FR', 'BE', 'DE']
const domains = [
  'example.com',
  'mail.example.org',
  'mailinator.com',
  'laposte.example',
  'web.example',
]

type Playing = Pick<Shop, 'vigil' | 'send' | 'signupFlow'>

async function playTraffic(
  { vigil, send, signupFlow }: Playing,
  payoutFlow: string,
  perDay: number,
): Promise<readonly string[]> {
  if (perDay === 0) return []
  const draw = openDraws(7)
  const nowMs = Date.now()
  const ids: string[] = []
  for (let day = 14; day >= 0; day -= 1) {
    const busy = perDay + draw(perDay) - day
    for (let index = 0; index < busy; index += 1) {
      vigil.setTime(nowMs - day * dayMs - (busy - index) * 60_000)
      ids.push(await play(send, draw, draw(4) === 0 ? payoutFlow : signupFlow))
    }
  }
  vigil.setTime(nowMs)
  return [...ids, await evaluateFlagged(send, signupFlow)]
}

/** One evaluation, and of some what became of it. */
async function play(send: Shop['send'], draw: Draw, flow_id: string): Promise<string> {
  const phone_number = `+3361234${String(draw(10_000)).padStart(4, '0')}`
  const user = draw(4) === 0 ? `user${draw(10 ** 7)}` : 'ada.lovelace'
  const payout = {
    amount: String(draw(2_400)),
    payout_account_changed: draw(4) === 0 ? 'yes' : 'no',
  }
  const { body, text } = await send('POST', '/v2/watch/eval', {
    flow_id,
    target: { phone_number, email_address: `${user}@${domains[draw(5)]}` },
    signals: {
      ext: { shop_country: countries[draw(5)], ...(draw(3) > 0 && payout) },
      existing_user: draw(3) === 0,
    },
  })
  if (body['id'] === undefined) throw new Error(text)
  const id = String(body['id'])
  if (body['verdict'] === 'FLAG' && draw(3) === 0) await report(send, id, phone_number)
  return id
}

async function report(send: Shop['send'], evaluation_id: string, value: string): Promise<void> {
  const event = {
    target: { type: 'phone_number', value },
    label: 'payment.chargeback',
    confidence: 'maximum',
    evaluation_id,
  }
  await send('POST', '/v2/watch/event', { events: [event] })
}

async function evaluateFlagged(send: Shop['send'], flow_id: string): Promise<string> {
  const { body } = await send('POST', '/v2/watch/eval', {
    flow_id,
    target: { phone_number: '+33612345678', email_address: 'ada90210@mailinator.com' },
    signals: { ip: '192.0.2.7', ext: { shop_country: 'FR' } },
  })
  await report(send, String(body['id']), '+33612345678')
  return String(body['id'])
}

export interface Visit {
  readonly page: Page
  /** What the page complained of so far: violations of its policy, errors, requests to other sites. */
  readonly complaints: () => readonly string[]
  readonly close: () => Promise<void>
}

export interface VisitOptions {
  readonly scheme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Seen by a page that is not signed in unless given. */
  readonly token?: string
}

/** A new browser profile on the console. */
export async function visit(
  browser: Browser,
  { url }: Pick<Shop, 'url'>,
  { scheme = 'light', width = 1_280, height = 800, token }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  // a busy machine is no failure
  context.setDefaultTimeout(120_000)
  const page = await context.newPage()
  const complaints = listen(page, url)
  if (token !== undefined) await addSession(context, url, token)
  return { page, complaints, close: () => context.close() }
}

/** A refusal that the test provokes is a line in the log of the browser; one of too much at once is asked again. */
const expected = /the server responded with a status of (?:400|401|403|404|410|412|429|503)/

function listen(page: Page, url: string): () => readonly string[] {
  const complaints: string[] = []
  page.on('console', (message: ConsoleMessage) => {
    const isBad = message.type() === 'error' || message.type() === 'warning'
    if (isBad && !expected.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    if (!/^(?:data|blob):/.test(request.url()) && !request.url().startsWith(url))
      complaints.push(request.url())
  })
  return () => complaints
}

/** Signs in as the page does, for tests that are not about signing in. */
async function addSession(context: BrowserContext, url: string, token: string): Promise<void> {
  const response = await fetch(`${url}/console/session`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, origin: url },
  })
  const [, name = '', value = ''] =
    /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? []
  await context.addCookies([
    { name, value, url: `${url}/console/api`, httpOnly: true, sameSite: 'Strict' },
  ])
}
