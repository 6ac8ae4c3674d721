import { afterEach, beforeEach, expect, test } from 'vitest'
import { dataFolderAt } from '../../src/stores/embedded/dataFolder.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { openAnswers } from './support/openAnswers.ts'
import { type Cli, openCli } from './support/openCli.ts'

let vigil: Vigil
let shop: Customer
let cli: Cli
let flow = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user')
  cli = openCli({ VIGIL_URL: `http://127.0.0.1:${vigil.door.port}`, VIGIL_TOKEN: shop.token })
})

afterEach(async () => {
  cli.close()
  await vigil.close()
})

const evaluate = async (phone_number: string): Promise<string> =>
  String((await shop.evaluate(flow, { target: { phone_number } })).body['id'])

const counts = (match: number, mismatch: number, erased: number) =>
  `MATCH            ${match}\nMISMATCH         ${mismatch}\nEVIDENCE_ERASED  ${erased}\n`

const replays = '/v2/watch/audit/replays'
/** Five seconds after its start. */
const running = {
  ...{ id: 'rpl_1', state: 'RUNNING', after: '0', position: '5', end: '20' },
  started_at: '2026-11-21T07:30:00.000Z',
  reported_at: '2026-11-21T07:30:05.000Z',
  ...{ match: 10, mismatch: 0, evidence_erased: 0, mismatches: [] },
}

test('all evaluations are replayed by the service, and on its folder', async () => {
  await evaluate('+33612345678')
  await evaluate('+33612345679')
  await shop.send('POST', '/v2/watch/subjects/erase', { phone_number: '+33612345679' })
  const runOnDataFolder = ['replay', '--all', '--data', vigil.folder]

  const served = await cli.run(['replay', '--all', '--flow', 'a flow'], { terminal: true })
  const read = await cli.run([...runOnDataFolder, '--threads', '2'], { terminal: true })
  const asJson = await cli.run([...runOnDataFolder, '--since', '1h', '--json'])

  expect(served).toMatchObject({ code: 0, out: counts(1, 0, 1) })
  expect(served.err).toContain('Replaying: ')
  expect(read).toMatchObject({ code: 0, out: counts(1, 0, 1) })
  expect(read.err).toContain('Replaying: 100 %, 2 evaluations, ')
  expect(asJson.json()).toEqual({
    folder: vigil.folder,
    after: '0',
    position: expect.stringMatching(/^[0-9]+$/),
    match: 1,
    mismatch: 0,
    evidence_erased: 1,
    mismatches: [],
  })
})

test('an evaluation that cannot be replayed is named, and the command ends with 1', async () => {
  await evaluate('+33612345678')
  const keys = openDatabase({ file: dataFolderAt(vigil.folder).keys, synchronous: 'FULL' })
  keys.exec('DELETE FROM keys')
  keys.close()

  const served = await cli.run(['replay', '--all'])
  const read = await cli.run(['replay', '--all', '--data', vigil.folder])

  for (const { code, out } of [served, read]) {
    expect(code).toBe(1)
    expect(out).toContain(counts(0, 1, 0))
    expect(out).toMatch(/^ {2}evl_\w+ at \d+: sealing key \S+ is missing$/m)
  }
})

test('Ctrl-C cancels the replay of the service or of the folder, and says where to go on', async () => {
  await evaluate('+33612345678')
  const interruption = new AbortController()
  const server = await openAnswers(({ method, path }) => {
    if (method === 'GET' && path === replays) return { body: { replays: [] } }
    if (path.endsWith('/cancel')) return { body: { ...running, state: 'CANCELLED', position: '9' } }
    if (method === 'GET') interruption.abort()
    return { body: running }
  })

  const { signal: interrupted } = interruption
  const served = await cli.run(['replay', '--all', '--server', server.url], { interrupted })
  const read = await cli.run(['replay', '--all', '--data', vigil.folder], { interrupted })

  const goOn = (position: number) => `vigil: Interrupted. Go on with --after ${position}.\n`
  expect(served).toMatchObject({ code: 130, err: goOn(9) })
  expect(server.asked.at(-1)).toMatchObject({ method: 'POST', path: `${replays}/rpl_1/cancel` })
  expect(read).toMatchObject({ code: 130, err: goOn(0) })
})

test('a replay that was left running is followed, with how far it is, its rate and the time left', async () => {
  const server = await openAnswers(({ path }) => ({
    body: path === replays ? { replays: [running] } : { ...running, state: 'DONE', match: 20 },
  }))

  const words = ['replay', '--all', '--server', server.url]
  const { code, out, err } = await cli.run(words, { terminal: true })

  expect({ code, out }).toEqual({ code: 0, out: counts(20, 0, 0) })
  expect(err).toContain('Following the replay that is running: rpl_1\n')
  expect(err).toContain('Replaying: 25 %, 10 evaluations, 2/s, 15 s left (--after 5)')
  expect(server.asked.map(({ method }) => method)).toEqual(['GET', 'GET'])
})

test.each([
  ['replay --flow a', '--flow needs --all.'],
  ['replay evl_1 --all', 'Give an evaluation or --all, not both.'],
  ['replay --all --threads 2', '--threads needs --data.'],
  ['replay --all --data d --flow a', 'With --data, --flow takes the id of a flow (flo_…).'],
  ['replay --all --data no-such-folder', 'There is no data of Vigil in '],
])('%s is refused with what to do', async (line, why) => {
  const refused = await cli.run(line.split(' '))

  expect(refused.code).toBe(2)
  expect(refused.err).toContain(`vigil: ${why}`)
})
