import { expect, onTestFinished, test } from 'vitest'
import { buildAnalystGrantScript } from '../../src/queries/operations/analystGrant.ts'
import { openCli } from './support/openCli.ts'

test('mongo grant prints the script, with the names it is given, and asks nobody', async () => {
  const cli = openCli({ VIGIL_URL: 'http://127.0.0.1:1' })
  onTestFinished(cli.close)

  const { code, out } = await cli.run(['mongo', 'grant', '--database', 'fraud', '--user', 'ada'])

  expect(code).toBe(0)
  expect(out).toBe(
    buildAnalystGrantScript({ database: 'fraud', role: 'vigil_analyst', user: 'ada' }),
  )
})

test.each(['--database', '--role', '--user'])(
  'a name that could be code is refused: %s',
  async (flag) => {
    const cli = openCli({ VIGIL_URL: 'http://127.0.0.1:1' })

    const { code, err } = await cli.run(['mongo', 'grant', flag, '"); drop("'])

    expect(code).toBe(2)
    expect(err).toContain(`${flag} must be a letter`)
  },
)

test('mongo grant of an account names its role and user after it', async () => {
  const cli = openCli({ VIGIL_URL: 'http://127.0.0.1:1' })
  onTestFinished(cli.close)
  const account = 'acc_01jc0t6fwwfgfsq1md24mhyztj'

  const { code, out } = await cli.run(['mongo', 'grant', '--account', account])

  expect(code).toBe(0)
  const [role, user] = [`vigil_analyst_${account}`, `analyst_${account}`]
  expect(out).toBe(buildAnalystGrantScript({ database: 'vigil', role, user, account }))
})

test.each(['acc_1', 'rul_01jc0t6fwwfgfsq1md24mhyztj', "acc_'", ''])(
  'what is no id of an account is refused: %j',
  async (account) => {
    const cli = openCli({ VIGIL_URL: 'http://127.0.0.1:1' })
    onTestFinished(cli.close)

    const { code, err } = await cli.run(['mongo', 'grant', '--account', account])

    expect(code).toBe(2)
    expect(err).toContain('--account must be the id of an account')
  },
)
