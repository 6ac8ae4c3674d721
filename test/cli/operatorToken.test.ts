import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { hashSecret } from '../../src/auth/apiToken.ts'
import { loadOrCreateSecrets } from '../../src/stores/embedded/installationSecrets.ts'
import { temporaryFolder } from '../stores/support/temporaryFolder.ts'
import { openVigil, type Vigil } from '../support/openVigil.ts'
import { type Cli, openCli } from './support/openCli.ts'

let vigil: Vigil
let cli: Cli

beforeEach(async () => {
  vigil = await openVigil()
  cli = openCli({ VIGIL_DATA: vigil.folder })
})

afterEach(async () => {
  cli.close()
  await vigil.close().catch(() => undefined)
})

const reset = ['operator-token', 'reset']
const keptHash = () =>
  loadOrCreateSecrets({ folder: vigil.folder, random: { bytes: (count) => new Uint8Array(count) } })
    .operatorTokenHash

test('given the folder of a stopped service, when its operator token is reset, then the printed one counts at the next start', async () => {
  await vigil.stop()

  const made = await cli.run(reset)
  const again = await cli.run([...reset, '--data', vigil.folder, '--json'])

  const [, printed] = /export VIGIL_OPERATOR_TOKEN=(vgo_[\w-]{43})\n/.exec(made.out) ?? []
  const { operator_token: token, folder } = again.json() as Record<string, string>
  expect([made.code, again.code, folder]).toEqual([0, 0, vigil.folder])
  expect(token).not.toBe(printed)
  expect(keptHash()).toBe(hashSecret(token ?? ''))
})

test('given a service that runs, or no data, when the operator token is reset, then it is refused with 2', async () => {
  const running = await cli.run(reset)
  const none = await cli.run([...reset, '--data', cli.folder])

  expect([running.code, none.code]).toEqual([2, 2])
  expect(running.err).toContain('another process is using it')
  expect(none.err).toContain(`There is no data of Vigil in ${cli.folder}`)
})

test('given a configured operator token, when it is reset, then it is said where it is to be changed', async () => {
  await vigil.stop()
  const file = join(cli.folder, 'operator-token')
  writeFileSync(file, 'in-a-file\n')

  const runs = [
    await cli.run(reset, { variables: { VIGIL_OPERATOR_TOKEN: 'configured' } }),
    await cli.run(reset, { variables: { VIGIL_OPERATOR_TOKEN_FILE: file } }),
    await cli.run(reset, { variables: { VIGIL_OPERATOR_TOKEN_FILE: `${file}-gone` } }),
  ]

  const configured = expect.stringContaining('is set: the operator token is configured')
  expect(runs.map(({ code, err }) => [code, err])).toEqual([
    [2, configured],
    [2, configured],
    [2, expect.stringContaining(`names ${file}-gone, which cannot be read: it is not there`)],
  ])
})

test.runIf(process.getuid?.() === 0)(
  'given a disk without room, when a backup is made on it, then it ends with 74 and the reason',
  async ({ skip }) => {
    const disk = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k', 'tmpfs', disk], { stdio: 'ignore' })
    } catch {
      skip('mounting is not allowed here')
    }
    onTestFinished(() => void execFileSync('umount', ['-l', disk]))

    const { code, err } = await cli.run(['backup', join(disk, 'monday')])

    expect([code, err]).toEqual([74, expect.stringContaining('the disk is full; free some space.')])
  },
)
