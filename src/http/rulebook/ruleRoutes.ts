/** Authoring of rules. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Service } from '../../service.ts'
import type { Route } from '../request/route.ts'
import { ruleSchemas } from './authoringSchemas.ts'
import { authorsDoor } from './shelfDoor.ts'
import { shelfRoutes } from './shelfRoutes.ts'

/** `/v2/watch/management/rules`. */
export function ruleRoutes(service: Service): readonly Route[] {
  return shelfRoutes({
    ...authorsDoor(service, 'rules'),
    shelf: service.rules,
    schemas: ruleSchemas,
    noun: 'rule',
    prefix: idPrefixes.rule,
    writeFailures: ['invalid_rule', 'managed_rule_read_only'],
    removeFailures: ['rule_in_use', 'managed_rule_read_only'],
  })
}
