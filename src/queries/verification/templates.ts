/** Questions about templates. */

import { templateCollection } from '../../projections/verification/templates.ts'
import { resourceReader } from '../reading/resourceReader.ts'
import { shown } from '../reading/shown.ts'

export const templateReader = resourceReader(templateCollection, shown)
