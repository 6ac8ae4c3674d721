/** Authoring of rules. */

import { idPrefixes } from '../../domain/ids.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { RulebookPart } from '../../service/rulebook/rulebookPart.ts'
import type { Route } from '../request/route.ts'
import { ruleSchemas } from './authoringSchemas.ts'
import { resourceRoutes } from './resourceRoutes.ts'
import { authorsResource } from './routedResource.ts'

/** `/v2/watch/management/rules`. */
export function ruleRoutes(service: AccountsPart & RulebookPart): readonly Route[] {
  return resourceRoutes({
    ...authorsResource(service, 'rules'),
    resource: service.rules,
    schemas: ruleSchemas,
    noun: 'rule',
    prefix: idPrefixes.rule,
    writeFailures: ['invalid_rule', 'managed_rule_read_only'],
    removeFailures: ['rule_in_use', 'managed_rule_read_only'],
  })
}
