/** Authoring of flows. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { RulebookPart } from '../../service/rulebook/rulebookPart.ts'
import type { Route } from '../request/route.ts'
import { flowSchemas } from './authoringSchemas.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { authorsResource } from './routedResource.ts'

/** `/v2/watch/management/flows`. */
export function flowRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  return resourceRoutes({
    ...authorsResource(service, 'flows'),
    resource: service.flows,
    schemas: flowSchemas,
    noun: 'flow',
    prefix: idPrefixes.flow,
    writeFailures: [],
    removeFailures: [],
  })
}
