import { readdirSync, readFileSync } from 'node:fs'
import { startHelper, startVigil, temporaryFolder } from './childProcess.ts'
import { loadEvals, openNewPeople } from './evalLoad.ts'
import { settled } from './readiness.ts'
import { openShop } from './shop.ts'
import { sixtyRules } from './sixtyRules.ts'
const rounds = Number(process.argv[2] ?? 4)
const folder = temporaryFolder()
const vigil = await startVigil(folder.path)
const load = startHelper('./loadGenerator.ts')
const shop = await openShop(vigil.port, sixtyRules)
const asked = { load, shop, durationMs: 3_000 }
const people = openNewPeople(3_000)
const read = () => new Map(readdirSync(`/proc/${vigil.pid}/task`).map((t) => [t, [readFileSync(`/proc/${vigil.pid}/task/${t}/comm`, 'utf8').trim(), Number(readFileSync(`/proc/${vigil.pid}/task/${t}/schedstat`, 'utf8').split(' ')[0]) / 1000] as const]))
for (let i = 0; i < rounds; i += 1) {
  await settled(vigil.port)
  const before = read()
  const r = await loadEvals(asked, vigil, people.next())
  people.taken(r.requests)
  await settled(vigil.port)
  const after = read()
  const parts = [...after].map(([t, [name, us]]) => [t === String(vigil.pid) ? 'main' : `${name}`, (us - (before.get(t)?.[1] ?? 0)) / r.requests] as const).filter(([, us]) => us > 1)
  const others = parts.filter(([n]) => n !== 'main').reduce((s, [, us]) => s + us, 0)
  console.log(r.requests, 'others', others.toFixed(0), parts.map(([n, us]) => `${n} ${us.toFixed(0)}`).join(', '))
}
await load.stop(); await vigil.stop(); folder.remove()
