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
