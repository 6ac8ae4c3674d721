import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { operatorToken } from '../support/openVigil.ts'
import { evaluate, openRunningShop, send } from '../support/runningShop.ts'
import { type StartedVigil, startVigil } from '../support/startedVigil.ts'

const disk = mkdtempSync(join(tmpdir(), 'vigil-disk-'))
const env = { VIGIL_OPERATOR_TOKEN: operatorToken, VIGIL_DEMO: 'false' }
const filler = join(disk, 'filler')
/** Only root may mount; elsewhere the parts are held by tests of their own. */
const isMounted = mount()

afterAll(() => {
  if (isMounted) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

function mount(): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', disk], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** To the last byte. */
function fillDisk(): void {
  const page = Buffer.alloc(4_096)
  try {
    for (;;) appendFileSync(filler, page)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  }
}

/** Started on a folder of the disk, and gone when the test is over. */
async function start(folder: string): Promise<StartedVigil> {
  const vigil = await startVigil(join(disk, folder), env)
  onTestFinished(async () => {
    await vigil.stop('SIGKILL')
  })
  return vigil
}

async function storesOf(vigil: StartedVigil): Promise<{ status: number; up: readonly string[] }> {
  const { status } = await send(vigil, ['GET', '/health/ready'], { token: operatorToken })
  const { text } = await send(vigil, ['GET', '/metrics'], { token: operatorToken })
  return { status, up: text.match(/^vigil_store_up.*$/gm) ?? [] }
}

test.runIf(isMounted)(
  'given a full disk, when a verdict cannot be written, then the service says so until there is room, and nothing acknowledged is missing',
  async () => {
    const vigil = await start('data')
    const shop = await openRunningShop(vigil)
    const kept = [(await evaluate(vigil, shop, 1)).path]
    fillDisk()

    const refusal = await refused(vigil, async (number) => {
      kept.push((await evaluate(vigil, shop, number)).path)
    })
    const failing = await storesOf(vigil)
    rmSync(filler)
    await eventually(async () => (await storesOf(vigil)).status === 200)
    const later = await storesOf(vigil)
    kept.push((await evaluate(vigil, shop, 1_000)).path)

    expect(refusal).toContain('"code":"unavailable"')
    expect(failing.status).toBe(503)
    expect(failing.up).toContain('vigil_store_up{store="events"} 0')
    expect(later.up).toContain('vigil_store_up{store="events"} 1')
    for (const path of kept) {
      expect((await send(vigil, ['GET', path], { token: shop.token })).status).toBe(200)
    }
    expect(await vigil.stop('SIGTERM')).toBe(0)
    // the log is written in the background, and whole once the service has stopped
    expect(vigil.printed()).toContain('log.db: the disk is full; free some space.')
    expect(vigil.printed()).toContain('The event log takes appends again.')
  },
  240_000,
)

test.runIf(isMounted)(
  'given a full disk, when the service is started, then it names the file and asks for room',
  async () => {
    fillDisk()

    await expect(start('other')).rejects.toThrow(
      /Cannot use .*: the disk is full; free some space\./,
    )
    rmSync(filler)
  },
)

/** Writes until it is refused, and answers with what. */
async function refused(
  vigil: StartedVigil,
  write: (number: number) => Promise<void>,
): Promise<string> {
  for (let number = 2; number < 1_000; number += 1) {
    try {
      await write(number)
    } catch (error) {
      return (error as Error).message
    }
  }
  return `nothing was refused: ${vigil.printed()}`
}
