/* Starts the daemon. */
int main(void)
{
    return 0;
}
