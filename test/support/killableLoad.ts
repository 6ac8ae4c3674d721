/** Lists, imports and refreshes on a service that is killed among them, and what it has acknowledged of them. */

import { setTimeout as sleep } from 'node:timers/promises'
import { type DpopKey, dpopKey } from './dpopKey.ts'
import { openCustomer } from './openVigil.ts'
import { refresh } from './refreshing.ts'
import { openRunningShop, type RunningShop, send } from './runningShop.ts'
import type { StartedVigil } from './startedVigil.ts'

const appId = 'corner1'
const listPath = '/v2/verification/management/phone-numbers/block'
const importLines = 2_000

interface Session {
  readonly key: DpopKey
  /** The last that was answered. */
  token: string
}

export interface KillableShop extends RunningShop {
  /** May manage lists and applications. */
  readonly manager: string
  readonly sessions: readonly Session[]
}

/** The shop with lists, and an application whose users have so many sessions. */
export async function openKillableShop(
  vigil: StartedVigil,
  sessions: number,
): Promise<KillableShop> {
  const shop = await openRunningShop(vigil)
  const { token: manager, send: ask } = await openCustomer(vigil)
  await ask('POST', '/v2/session/apps', { name: 'Shop', app_id: appId })
  const users = `/v2/session/apps/${appId}/users`
  const begin = async (_: unknown, index: number): Promise<Session> => {
    const identifiers = [{ type: 'customer_user_id', value: `user ${index}` }]
    const { body: user } = await ask('POST', users, { identifiers })
    const { body: started } = await ask('POST', `${users}/${user['id']}/sessions`, {})
    return { key: dpopKey(), token: String(started['refresh_token']) }
  }
  return { ...shop, manager, sessions: await Promise.all(Array.from({ length: sessions }, begin)) }
}

export interface KillableLoad {
  /** Works until the service is gone. */
  readonly keepSending: (vigil: StartedVigil) => readonly Promise<void>[]
  /** Whether something of each kind was acknowledged in this round, the first being 0. */
  readonly isUnderWay: (round: number) => boolean
  /** What was acknowledged and is not there: numbers of the list, and answers to sessions. */
  readonly missing: (
    vigil: StartedVigil,
  ) => Promise<{ readonly listed: readonly string[]; readonly sessions: readonly string[] }>
  readonly counts: () => string
}

export function killableLoad({ manager: token, sessions }: KillableShop): KillableLoad {
  const single = new Set<string>()
  const imported = new Set<string>()
  const refused: string[] = []
  let refreshes = 0
  let number = 2_000_000
  let seen = { single: 0, imported: 0, refreshes: 0 }
  let seenRound = 0
  const next = () => {
    number += 1
    return `+1213${number}`
  }
  const listOne = async (vigil: StartedVigil): Promise<void> => {
    const phone_number = next()
    const { status, text } = await send(vigil, ['POST', listPath], {
      token,
      body: { phone_number },
    })
    if (status >= 300) throw new Error(text)
    single.add(phone_number)
  }
  /** Each line that has come is acknowledged, also of an answer that breaks off. */
  const importSome = async (vigil: StartedVigil): Promise<void> => {
    const numbers = Array.from({ length: importLines }, next)
    const lines = numbers.map((phone_number) => JSON.stringify({ phone_number }))
    const answer = await fetch(`${vigil.url}${listPath}/import`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    })
    for await (const line of linesOf(answer)) {
      const { line: at = 0, result } = JSON.parse(line) as { line?: number; result: string }
      if (result !== 'added') throw new Error(line)
      imported.add(numbers[at - 1] ?? '')
    }
  }
  const go = async (vigil: StartedVigil, session: Session): Promise<number> => {
    const port = Number(new URL(vigil.url).port)
    const { key, token: presented } = session
    const answer = await refresh({ port, appId, key, token: presented })
    if (answer.status === 200) session.token = answer.token
    else if (answer.status !== 429) refused.push(`${answer.status} ${answer.text}`)
    return answer.status
  }
  const refreshOne = async (vigil: StartedVigil, session: Session): Promise<void> => {
    if ((await go(vigil, session)) === 200) refreshes += 1
    else await sleep(100)
  }
  return {
    keepSending: (vigil) => [
      ...[listOne, listOne, importSome].map((work) => untilGone(() => work(vigil))),
      ...sessions.map((session) => untilGone(() => refreshOne(vigil, session))),
    ],
    isUnderWay: (round) => {
      if (round !== seenRound) {
        seen = { single: single.size, imported: imported.size, refreshes }
        seenRound = round
      }
      const { single: s, imported: i, refreshes: r } = seen
      return single.size > s && imported.size > i && refreshes > r
    },
    missing: async (vigil) => {
      const { text } = await send(vigil, ['GET', `${listPath}/export?min_position=0`], { token })
      const there = new Set(
        text
          .trim()
          .split('\n')
          .map((line) => (JSON.parse(line) as { phone_number: string }).phone_number),
      )
      for (const session of sessions) await go(vigil, session)
      return {
        listed: [...single, ...imported].filter((one) => !there.has(one)),
        sessions: refused,
      }
    },
    counts: () =>
      `${single.size} entries of lists, ${imported.size} imported lines, ${refreshes} refreshes`,
  }
}

/** Whole lines of an answer, as they come. */
async function* linesOf(answer: Response): AsyncGenerator<string> {
  let text = ''
  for await (const chunk of answer.body ?? []) {
    text += Buffer.from(chunk).toString()
    const whole = text.split('\n')
    text = whole.pop() ?? ''
    yield* whole
  }
}

/** Ends with the first that gets no good answer, as when the service is gone. */
async function untilGone(work: () => Promise<void>): Promise<void> {
  try {
    for (;;) await work()
  } catch {
    return
  }
}
