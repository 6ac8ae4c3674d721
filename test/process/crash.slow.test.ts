import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { killableLoad, openKillableShop } from '../support/killableLoad.ts'
import { operatorToken } from '../support/openVigil.ts'
import { evaluate, keepSending, send } from '../support/runningShop.ts'
import { startVigil } from '../support/startedVigil.ts'

const rounds = Number(process.env['VIGIL_TEST_CRASH_ROUNDS'] ?? 4)
const clients = 8

type Body = Record<string, unknown>

test(
  `what was answered before each of ${rounds} kill -9 is there after it, whole: evaluations, rules, lists, imports and refreshes`,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-'))
    const env = { VIGIL_OPERATOR_TOKEN: operatorToken, LOG_LEVEL: 'info' }
    let vigil = await startVigil(folder, env)
    const shop = await openKillableShop(vigil, clients)
    const { token } = shop
    const answered = new Map<string, string>()
    const load = killableLoad(shop)
    let number = 0

    const judge = async () => {
      number += 1
      return evaluate(vigil, shop, number)
    }
    const author = async () => {
      number += 1
      const { status, text } = await send(vigil, ['POST', '/v2/watch/management/rules'], {
        token,
        body: { name: `rule ${number}`, expression: `signal.ext.n == "${number}"` },
      })
      if (status !== 201) throw new Error(text)
      const path = `/v2/watch/management/rules/${(JSON.parse(text) as Body)['id']}`
      return { path, body: text }
    }

    for (let round = 0; round < rounds; round += 1) {
      const work = [
        ...Array.from({ length: clients }, (_, client) =>
          keepSending(client % 4 === 0 ? author : judge, answered),
        ),
        ...load.keepSending(vigil),
      ]
      // in the midst of the work, however fast this machine is
      await eventually(() => answered.size >= (round + 1) * 2 * clients && load.isUnderWay(round))
      await sleep(50 * (round % 10))
      await vigil.stop('SIGKILL')
      await Promise.all(work)
      vigil = await startVigil(folder, env)
    }

    // first: a refresh that was not answered can be repeated for some minutes
    const missing = await load.missing(vigil)
    expect(answered.size).toBeGreaterThan(rounds * clients)
    for (const [path, body] of answered) {
      const seen = await send(
        vigil,
        ['GET', `${path}?min_position=0`.replace(/(evl_.*)\?.*/, '$1')],
        {
          token,
        },
      )
      expect(seen.status).toBe(200)
      // warnings are of the moment at which it was saved
      const { warnings: _, ...expected } = JSON.parse(body) as Body
      expect(JSON.parse(seen.text)).toMatchObject(expected)
    }
    expect(missing).toEqual({ listed: [], sessions: [] })
    process.stdout.write(
      `${rounds} kills: ${answered.size} evaluations and rules, ${load.counts()}, none lost\n`,
    )
    const [sample] = [...answered.keys()].filter((path) => path.includes('evl_'))
    const replay = await send(vigil, ['POST', `${sample}/replay`], { token })
    expect(JSON.parse(replay.text)).toEqual({ result: 'MATCH', differences: [] })
    expect(await vigil.stop('SIGTERM')).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  },
  60_000 * (rounds + 1),
)
