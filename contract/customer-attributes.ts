import { z } from 'zod';
import { namedObject, pattern, visibleText } from './fields.ts';
import { CUSTOMER_LIMITS } from './limits/customers.ts';

/** The attributes of known customers that a workspace accepts in user tokens. */

const attributeValue = visibleText(CUSTOMER_LIMITS.attributeValueCharsMax).meta({ example: 'pro' });

const customerAttribute = namedObject('CustomerAttribute', 'A claim of user tokens that is kept.', {
  name: pattern(/^[a-z][a-z0-9_]*$/, CUSTOMER_LIMITS.attributeNameCharsMax).meta({
    description: 'Name of the claim.',
    example: 'plan',
  }),
  type: z.enum(['text', 'boolean', 'one_of']).meta({
    id: 'CustomerAttributeType',
    description: 'Type of the value. `one_of`: a text of a list.',
  }),
  values: z
    .array(attributeValue)
    .min(1)
    .max(CUSTOMER_LIMITS.attributeValuesMax)
    .optional()
    .describe('The values of `one_of`, which needs them; absent for other types.'),
});

export const customerAttributes = z.array(customerAttribute).max(CUSTOMER_LIMITS.attributesMax);

export type CustomerAttribute = z.infer<typeof customerAttribute>;
