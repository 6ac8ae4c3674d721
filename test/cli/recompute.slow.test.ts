import { afterEach, beforeEach, expect, test } from 'vitest'
import { dataFolder } from '../../src/stores/embedded/dataFolder.ts'
import { openDatabase } from '../../src/stores/embedded/sqlite.ts'
import { type Customer, openCustomer, openVigil, type Vigil } from '../support/openVigil.ts'
import { type Cli, openCli } from './support/openCli.ts'

let vigil: Vigil
let shop: Customer
let cli: Cli
let flow = ''

beforeEach(async () => {
  vigil = await openVigil()
  shop = await openCustomer(vigil)
  flow = await shop.flowOf('signal.existing_user')
  cli = openCli({ VIGIL_DATA: vigil.folder })
})

afterEach(async () => {
  cli.close()
  await vigil.close()
})

const evaluate = async (phone_number: string): Promise<string> =>
  String((await shop.evaluate(flow, { target: { phone_number } })).body['id'])

test('the evaluations of a running service are computed again, and that they are the same is said', async () => {
  await evaluate('+33612345678')
  await evaluate('+33612345679')

  const made = await cli.run(['recompute', '--threads', '2'], { terminal: true })
  const asJson = await cli.run(['recompute', '--json'])

  expect(made).toMatchObject({
    code: 0,
    out: `2 evaluations of ${vigil.folder} computed again: the same to the byte.\n`,
  })
  expect(made.err).toContain('Recomputing: 100 %')
  expect(asJson.json()).toEqual({
    folder: vigil.folder,
    position: expect.stringMatching(/^[0-9]+$/),
    same: 2,
    forgotten: 0,
    others: 0,
    findings: [],
  })
})

test('an evaluation that cannot be computed again is named, and the command ends with 4', async () => {
  await evaluate('+33612345678')
  const keys = openDatabase({ file: dataFolder(vigil.folder).keys, synchronous: 'FULL' })
  keys.exec('DELETE FROM keys')
  keys.close()

  const made = await cli.run(['recompute'])

  expect(made.code).toBe(4)
  expect(made.out).toMatch(
    /^0 evaluations of .*\n1 evaluation differs or cannot be computed again:\n {2}evl_\w+ at \d+: sealing key \S+ is missing\n$/,
  )
})

test.each(['0', '65', '1.5', 'many'])(
  '--threads %s is refused with what it takes',
  async (threads) => {
    expect(await cli.run(['recompute', '--threads', threads])).toMatchObject({
      code: 2,
      err: `vigil: --threads takes a whole number from 1 to 64, not ${threads}\n`,
    })
  },
)
