/** Authoring of flows. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Service } from '../../service.ts'
import type { Route } from '../request/route.ts'
import { flowSchemas } from './authoringSchemas.ts'
import { authorsDoor } from './shelfDoor.ts'
import { shelfRoutes } from './shelfRoutes.ts'

/** `/v2/watch/management/flows`. */
export function flowRoutes(service: Service): readonly Route[] {
  return shelfRoutes({
    ...authorsDoor(service, 'flows'),
    shelf: service.flows,
    schemas: flowSchemas,
    noun: 'flow',
    prefix: idPrefixes.flow,
    writeFailures: [],
    removeFailures: [],
  })
}
