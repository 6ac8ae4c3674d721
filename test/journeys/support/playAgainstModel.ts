/**
 * Plays random commands of several clients at once, with restarts in between, against a service and a plain model. What
 * is done at once must be answered, and read afterwards, as the model has it in one of its orders; at the end the read
 * models are built again from the log and must say the same.
 */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  type Customer,
  openCustomer,
  openVigil,
  operatorToken,
  type Vigil,
} from '../../support/openVigil.ts'
import { seedOfRun as seed } from '../../support/seedOfRun.ts'

export const minuteMs = 60_000
const start = Date.UTC(2026, 10, 21, 9, 30)

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
}

/** A command, and what a model in this state makes of it. */
export interface AskedOf<State> {
  readonly send: { readonly method: string; readonly path: string; readonly body?: object }
  readonly operator?: true
  /**
   * What the model answers, and is afterwards; what only the service can know, such as a new id, is as it was answered.
   */
  readonly model: (before: State, at: { nowMs: number; given: Answer }) => [Answer, State]
}

/** A resource whose commands are made in a situation: at a time, in a state. */
export interface Game<State, Situation> {
  readonly command: fc.Arbitrary<(situation: Situation) => AskedOf<State>>
  readonly begin: (shop: Customer) => Promise<{
    readonly first: State
    readonly situationOf: (state: State, nowMs: number) => Situation
  }>
  readonly withoutExpired: (state: State, nowMs: number) => State
  /** All of it; `read` answers the list of this name. */
  readonly readAll: (read: (path: string, name: string) => Promise<never[]>) => Promise<State>
}

export const ok = (status: number, body: Record<string, unknown>): Answer => ({ status, body })
export const refused = (status: number, code: string): Answer => ({ status, body: { code } })

/** Six games of six to fourteen rounds; in each, up to three commands are sent at once. */
export async function playAgainstModel<State, Situation>(
  game: Game<State, Situation>,
): Promise<void> {
  const round = fc.record({
    together: fc.array(game.command, { minLength: 1, maxLength: 3 }),
    restart: fc.integer({ min: 1, max: 10 }).map((one) => one === 1),
  })
  const rounds = fc.array(round, { minLength: 6, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(rounds, (all) => play(game, all)),
    // what is shrunk is played again, with services of its own
    { seed, numRuns: 6, endOnFailure: true },
  )
}

interface Round<State, Situation> {
  /** Sent at once, each by another client. */
  readonly together: readonly ((situation: Situation) => AskedOf<State>)[]
  readonly restart: boolean
}

async function play<State, Situation>(
  game: Game<State, Situation>,
  rounds: readonly Round<State, Situation>[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vigil-model-'))
  let vigil = await openVigil({ folder })
  const stop = async (): Promise<void> => {
    await vigil.door.close()
    await vigil.service.close()
  }
  const readAll = (shop: Customer, position: number) =>
    game.readAll((path, name) => read(vigil, shop, { path, name, position }))
  try {
    const shop = await openCustomer(vigil)
    const { first, situationOf } = await game.begin(shop)
    let state = first
    let nowMs = start
    let position = 0
    for (const { together, restart } of rounds) {
      if (restart) {
        await stop()
        vigil = await openVigil({ folder })
      }
      nowMs += minuteMs
      vigil.setTime(nowMs)
      const before = game.withoutExpired(state, nowMs)
      const asked = together.map((one) => one(situationOf(before, nowMs)))
      const given = await Promise.all(asked.map((one) => ask(vigil, shop, one)))
      position = Math.max(position, ...given.map((one) => one.position))
      const seen = await readAll(shop, position)
      const found = outcomes(before, asked, { given, nowMs }).find((one) =>
        isDeepStrictEqual(plain(one), plain(seen)),
      )
      const told = asked.map(({ send }, index) => ({ send, answer: given[index] }))
      state = found ?? expect.fail(JSON.stringify({ before, told, seen }, null, 1))
    }
    await stop()
    const views = readdirSync(folder).filter((file) => file.startsWith('views.db'))
    expect(views).toContain('views.db')
    for (const file of views) rmSync(join(folder, file))
    vigil = await openVigil({ folder })
    vigil.setTime(nowMs)

    expect(plain(await readAll(shop, position))).toEqual(plain(state))
  } finally {
    await vigil.close()
  }
}

/** What the model can be after all of it in any order in which it answers what was answered. */
function outcomes<State>(
  before: State,
  asked: readonly AskedOf<State>[],
  { given, nowMs }: { given: readonly Answer[]; nowMs: number },
): readonly State[] {
  if (asked.length === 0) return [before]
  return asked.flatMap((one, index) => {
    const answer = given[index] ?? expect.fail('there is no answer')
    const [said, after] = one.model(before, { nowMs, given: answer })
    if (!fits(answer, said)) return []
    const others = { given: given.toSpliced(index, 1), nowMs }
    return outcomes(after, asked.toSpliced(index, 1), others)
  })
}

/** Of a refusal its code is told by the model, of an answer all. */
function fits({ status, body }: Answer, said: Answer): boolean {
  if (status !== said.status) return false
  return status < 400 ? isDeepStrictEqual(body, said.body) : body['code'] === said.body['code']
}

async function ask<State>(
  { door }: Pick<Vigil, 'door'>,
  { token }: Pick<Customer, 'token'>,
  { send: { method, path, body }, operator }: AskedOf<State>,
): Promise<Answer & { readonly position: number }> {
  const sent = { token: operator ? operatorToken : token, ...(body && { body }) }
  const received = await door.request(method, path, sent)
  const position = Number(received.headers['x-vigil-position'] ?? 0)
  return { status: received.status, body: received.body ?? {}, position }
}

/** A list as it is read, from a state that has passed the position. */
async function read(
  { door }: Pick<Vigil, 'door'>,
  { token }: Pick<Customer, 'token'>,
  { path, name, position }: { path: string; name: string; position: number },
): Promise<never[]> {
  const { status, body, text } = await door.request('GET', `${path}?min_position=${position}`, {
    token,
  })
  if (status !== 200) throw new Error(text)
  return body[name] as never[]
}

/** Without the order of fields. */
function plain<State>(state: State): State {
  return JSON.parse(JSON.stringify(state)) as State
}
