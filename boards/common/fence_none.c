/* No MPU fence: all of the emulated RAM is there. */
void mcuc_fence(void);
void mcuc_fence(void)
{
}
