import { rmSync } from 'node:fs'
import { describe, expect, test, vi } from 'vitest'
import { openFolderOfFile } from '../support/openFolderOfFile.ts'
import { openShop } from '../support/openShop.ts'

const { vigil, shop, at, file, write, pull, push, diff } = await openFolderOfFile()

/** The lists of the account, without their ids. */
async function listed(): Promise<readonly object[]> {
  const { lists } = await shop.read(['lists', 'list'])
  return (lists as readonly { readonly id: string }[]).map(({ id: _, ...list }) => list)
}

/** How many rules the account has. */
async function rules(): Promise<number> {
  return ((await shop.read(['rules', 'list']))['rules'] as readonly object[]).length
}

const vip = 'name: vip\nkind: email_address\ndescription: Whom we know\n'
const asks = 'name: Known\nexpression: inList("vip", target.email_address)\n'
const create = ['lists', 'create', 'vip', '--kind', 'email_address']

/** A list and a rule that asks it, neither of which is on the service yet. */
function writeNew(): void {
  write('lists/vip.yaml', vip)
  write('rules/known.yaml', asks)
}

describe('pull', () => {
  test('writes what a list is, and nothing that stands on it', async () => {
    await shop.run([...create, '--description', 'Whom we know'])
    await shop.run(['lists', 'add', 'vip', 'ann@example.com'])

    const { out } = await pull()

    expect(out).toBe('written  lists/vip.yaml\n1 changed.\n')
    expect(file('lists/vip.yaml')).toMatch(
      /^id: lst_\w{26}\nname: vip\nkind: email_address\ndescription: Whom we know\n$/,
    )
    expect((await diff()).out).toBe('Nothing differs.\n')
    expect((await pull()).out).toBe('Nothing differs.\n')
  })

  test('takes a file without an id for the list that it names', async () => {
    await shop.run(create)
    write('lists/mine.yaml', `# ours\n${vip}`)

    await pull()

    expect(file('lists/mine.yaml')).toMatch(
      /^# ours\nid: lst_\w{26}\nname: vip\nkind: email_address\n$/,
    )
    expect((await diff()).code).toBe(0)
  })
})

describe('push', () => {
  test('brings a pulled folder to another account, its list before the rule that asks it', async () => {
    await shop.run([...create, '--description', 'Whom we know'])
    await shop.customer.rule('inList("vip", target.email_address)', 'Known')
    await pull()
    for (const name of ['lists/vip.yaml', 'rules/known.yaml']) {
      write(name, file(name).replace(/^id: .*\n/, ''))
    }
    const other = await openShop(vigil)

    const planned = await other.cli.run(['push', at(), '--dry-run'])
    const pushed = await other.cli.run(['push', at()])
    const again = await other.cli.run(['push', at()])

    expect(planned).toMatchObject({
      code: 1,
      out: 'would create  lists/vip.yaml\nwould create  rules/known.yaml\n',
    })
    expect(pushed.out).toMatch(
      /^created {2}lists\/vip\.yaml {2}lst_\w{26}\ncreated {2}rules\/known\.yaml {2}rul_\w{26}\n$/,
    )
    expect(again).toMatchObject({ code: 0, out: 'Nothing differs that a push would write.\n' })
    expect(await other.read(['lists', 'list'])).toMatchObject({
      lists: [{ name: 'vip', kind: 'email_address', description: 'Whom we know' }],
    })
    await other.close()
  })

  test('describes a list otherwise, also one that the file only names', async () => {
    await shop.run(create)
    write('lists/vip.yaml', vip)

    const first = await push()
    write('lists/vip.yaml', file('lists/vip.yaml').replace('Whom we know', 'Guests'))
    const second = await push()

    expect(first.out).toMatch(/^updated {2}lists\/vip\.yaml {2}lst_\w{26}\n$/)
    expect(second.out).toBe(first.out)
    expect(file('lists/vip.yaml')).toMatch(/^id: lst_/)
    expect(await listed()).toEqual([{ name: 'vip', kind: 'email_address', description: 'Guests' }])
    expect((await diff()).code).toBe(0)
  })

  test('says once what is wrong with a list, and nothing of the rules that ask one yet to be made, where they are checked in parts', async () => {
    writeNew()
    write('rules/second.yaml', asks.replace('Known', 'Second'))
    write('lists/twin.yaml', vip)
    const real = globalThis.fetch
    vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
      const { dry_run, rules: asked = [] } = JSON.parse(String(init?.body ?? '{}'))
      if (!dry_run || asked.length < 2) return real(input, init)
      const body = JSON.stringify({ code: 'payload_too_large', message: 'Too much.' })
      return Promise.resolve(new Response(body, { status: 413 }))
    })

    const { code, err } = await push('--dry-run')

    expect(code).toBe(2)
    expect(err).toBe(
      'vigil: The folder is not in order.\n  lists/vip.yaml: There is a list called vip already.\n',
    )
  })

  test('deletes a list with --prune, after the rule that asked it', async () => {
    writeNew()
    await push()
    rmSync(at('lists/vip.yaml'))
    rmSync(at('rules/known.yaml'))

    const left = await push()
    const pruned = await push('--prune')

    expect(left.out).toContain('2 only on the service, left there (--prune deletes).\n')
    expect(pruned).toMatchObject({ code: 0, err: '' })
    expect(pruned.out).toContain('deleted  lists/vip.yaml  lst_')
    expect(await listed()).toEqual([])
    expect(await rules()).toBe(0)
  })

  test('deletes a list with --prune that the rule does not ask any more', async () => {
    writeNew()
    await push()
    rmSync(at('lists/vip.yaml'))
    write('rules/known.yaml', file('rules/known.yaml').replace(/inList.*/, 'list.allow'))

    const { code, err } = await push('--prune')

    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(await listed()).toEqual([])
    expect(await rules()).toBe(1)
  })

  test('leaves a list that a rule of the folder asks, and everything else with it', async () => {
    writeNew()
    await push()
    rmSync(at('lists/vip.yaml'))
    write('rules/new.yaml', 'name: New\nexpression: list.block\n')

    const { code, err } = await push('--prune')

    expect(code).toBe(2)
    expect(err).toMatch(/lists\/vip\.yaml: The list is still asked by rules .*rul_\w{26}/)
    expect(await listed()).toHaveLength(1)
    expect(await rules()).toBe(1)
  })

  test.each([
    ['that only names the list', () => 'name: vip\nkind: phone_number\n', '2:7'],
    ['with its id', (id: string) => `${id}\nname: vip\nkind: text\n`, '3:7'],
  ])('refuses another kind than the list has, in a file %s', async (_, textOf, place) => {
    await shop.run(create)
    await pull()
    const [id = ''] = file('lists/vip.yaml').split('\n')
    write('lists/vip.yaml', textOf(id))
    write('rules/new.yaml', 'name: New\nexpression: list.block\n')

    const { code, err } = await push()

    expect(code).toBe(2)
    expect(err).toContain(
      `lists/vip.yaml:${place}: The kind of a list stays, here email_address: keep it, or make a list of another name`,
    )
    expect(await rules()).toBe(0)
    expect(await listed()).toEqual([{ name: 'vip', kind: 'email_address' }])
  })
})
