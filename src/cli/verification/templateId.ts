/** Which template is meant by an argument: its id, or its name. */

import { idPrefixes, isId } from '../../domain/ids.ts'
import { nearest } from '../../domain/nearest.ts'
import type { TemplateView } from '../../service/verification/verificationPart.ts'
import type { Client } from '../connecting/client.ts'
import { listAll } from '../connecting/listAll.ts'
import { cliError, usageError } from '../terminal/cliError.ts'
import { exitCodes } from '../terminal/exitCode.ts'

export const templatesPath = '/v2/verification/management/templates'

/** Ids that are told of a name that several have. */
const idsTold = 10

/** The id: as given, or of the only one with this name. Throws `usage` for a name that several have, `not_found` for one that none has. */
export async function templateId(client: Client, text: string): Promise<string> {
  if (isId(idPrefixes.template, text)) return text
  if (text === '') throw usageError('Give the id of a template (template_…), or its name.')
  const all = await listAll<TemplateView>(client, { path: templatesPath, name: 'templates' })
  const found = all.filter(({ name }) => name.normalize('NFC') === text.normalize('NFC'))
  const [first] = found
  if (!first) throw unknownName(all, text)
  if (found.length === 1) return first.id
  const ids = found.map(({ id }) => id)
  const told = ids.slice(0, idsTold).join(', ') + (ids.length > idsTold ? ', …' : '')
  const message = `${ids.length} templates are called "${text}"; give the id: ${told}`
  throw usageError(message, { code: 'ambiguous_name', ids })
}

function unknownName(all: readonly TemplateView[], text: string): Error {
  const names = all.map(({ name }) => name)
  const meant = nearest(text, names)
  const guess = meant === undefined ? '' : ` Did you mean "${meant}"?`
  return cliError(`There is no template called "${text}".${guess}`, exitCodes.refused, {
    code: 'not_found',
    hint: 'See: vigil templates list',
  })
}
